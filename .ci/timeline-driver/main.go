// Timeline-driver opens pages of --timeline in a headless Chromium and uses them as a
// person does. The first page needs steals; the others need only open. It needs chromium
// and chromedriver.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: timeline-driver PAGE.html...")
		os.Exit(2)
	}
	if err := drive(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "timeline-driver:", err)
		os.Exit(1)
	}
}

func drive(pages []string) error {
	b, err := open(1280, 800)
	if err != nil {
		return err
	}
	defer b.close()
	for i, path := range pages {
		full, err := filepath.Abs(path)
		if err != nil {
			return err
		}
		address := "file://" + filepath.ToSlash(full)
		if err := b.post("url", object{"url": "about:blank"}, nil); err != nil {
			return err
		}
		for _, kind := range []string{"performance", "browser"} { // of what was open before
			if _, err := b.logged(kind); err != nil {
				return err
			}
		}
		begun := time.Now()
		hash := ""
		if i == 1 {
			hash = "#2" // leads to a voice
		}
		if err := b.post("url", object{"url": address + hash}, nil); err != nil {
			return err
		}
		if err := opens(b); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		opened := time.Since(begun)
		if hash != "" {
			if err := follows(b, hash); err != nil {
				return fmt.Errorf("%s%s: %w", path, hash, err)
			}
		}
		if err := shows(b); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if i == 0 {
			for _, use := range []func(*browser) error{zooms, finds, tells} {
				if err := use(b); err != nil {
					return fmt.Errorf("%s: %w", path, err)
				}
			}
		}
		if err := fitsPhone(b); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if err := staysQuiet(b, address); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		fmt.Printf("%s: shown after %d ms, as it should be\n", path, opened.Milliseconds())
	}
	return nil
}

// staysQuiet: the console has nothing to say, and all that was asked for is the file.
func staysQuiet(b *browser, address string) error {
	said, err := b.logged("browser")
	if err != nil {
		return err
	}
	// The driver's own reading of pixels is told of.
	said = slices.DeleteFunc(said, func(s string) bool { return strings.Contains(s, "willReadFrequently") })
	if len(said) > 0 {
		return fmt.Errorf("the console says %q", said)
	}
	events, err := b.logged("performance")
	if err != nil {
		return err
	}
	asked := 0
	for _, e := range events {
		var event struct {
			Message struct {
				Method string
				Params struct{ Request struct{ URL string } }
			}
		}
		if err := json.Unmarshal([]byte(e), &event); err != nil {
			return err
		}
		if event.Message.Method != "Network.requestWillBeSent" {
			continue
		}
		if asked++; event.Message.Params.Request.URL != address {
			return fmt.Errorf("it asks for %s", event.Message.Params.Request.URL)
		}
	}
	if asked != 1 {
		return fmt.Errorf("%d requests were seen, want that of the page itself", asked)
	}
	return nil
}
