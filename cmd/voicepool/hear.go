package main

import (
	"fmt"

	"voicepool/cmd/internal/cli/console"
	"voicepool/cmd/internal/lab/hear"
	"voicepool/internal/metric"
)

type hearCommand struct {
	Reference string `arg:"" predictor:"sound" name:"ref" help:"The sound file to compare with."`
	Test      string `arg:"" predictor:"sound" help:"A sound file of the same rate, channels and length."`
	JSON      bool   `name:"json" help:"Print JSON."`
	Quiet     bool   `short:"q" help:"Show no progress."`
}

// Run prints how different two sound files are by both perceptual metrics, as text or JSON.
func (h *hearCommand) Run(c *console.Console) error {
	c.Quiet = h.Quiet
	interrupted := c.Listen()
	defer interrupted.Close()
	return interrupted.Instead(c, h.compare(c, interrupted))
}

// compare compares the files and prints the result to c, until it is done or ctx ends.
func (h *hearCommand) compare(c *console.Console, ctx *console.Interrupts) error {
	result, err := hear.Files(ctx, h.Reference, h.Test, warnOfDamage(c), func(frames, length int64) {
		if length > 0 {
			c.Progress("comparing: %d %%", 100*frames/length)
		}
	})
	if err != nil {
		return err
	}
	c.Progress("")
	if result.Resampled != 0 {
		c.Say("both sounds were resampled from %d to %d Hz", result.Resampled, metric.Rate)
	}
	if h.JSON {
		return c.JSON(result)
	}
	fmt.Fprintf(c.Out, "zimtohrli  %8.4f   distance: 0 for equal sounds, at most 1\n", result.Zimtohrli)
	fmt.Fprintf(c.Out, "2f         %8.1f   score: 100 for equal sounds; 0 is bad\n", result.TwoF)
	return nil
}
