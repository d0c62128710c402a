package liveplay

import (
	"errors"
	"fmt"
	"time"

	"voicepool/cmd/internal/cli/console"
	"voicepool/cmd/internal/view/liveview"
	"voicepool/cue/report"
	"voicepool/device"
	"voicepool/device/auto"
	"voicepool/mixer"
	"voicepool/pcm"
)

// deviceMonitor tracks losses and returns of the audio device, for messages and the report. Not safe for concurrent
// use.
type deviceMonitor struct {
	requested  Device
	device     device.Device
	supervised *auto.Device // the supervised device, or nil
	lost       string       // why and since when the output is silent
	events     []report.Event
}

// newDeviceMonitor returns a monitor of d, an open audio device. The parameter requested is the value of --device. The
// monitor tracks when the device is lost and when it returns. It can do so only for a device of package auto; for any
// other device it sees no losses.
func newDeviceMonitor(requested Device, d device.Device) *deviceMonitor {
	best, _ := d.(*auto.Device)
	return &deviceMonitor{requested: requested, device: d, supervised: best}
}

// poll takes the new events of the device, which are losses and returns of the sound, and stores them for the report.
// It returns a line of text for each. A loss at the first frame gives no line unless it is final, because it was
// printed when the device was opened. For a device that package auto does not supervise, the result is nil.
func (s *deviceMonitor) poll() (lines []string) {
	if s.supervised == nil {
		return nil
	}
	var events [8]auto.Event
	for {
		n := s.supervised.Events(events[:])
		for _, e := range events[:n] {
			// A failure at the first frame was reported when the device was opened.
			if e.Kind == auto.Back || e.Frame > 0 || e.Final {
				lines = append(lines, e.String())
			}
			s.record(&e)
		}
		if n < len(events) {
			return lines
		}
	}
}

// record appends the event e, a loss or a return of the device, to s.events for the report. It sets s.lost to the
// reason and time of a loss, or to "" after a return. If two losses follow each other, the second replaces the first in
// s.events.
func (s *deviceMonitor) record(e *auto.Event) {
	entry := report.Event{
		Kind: mixer.EventDevice, Frame: e.Frame, Cue: -1, Slot: -1,
		State: report.DeviceBack, Seconds: e.Gap.Round(time.Microsecond).Seconds(),
	}
	s.lost = ""
	if e.Kind == auto.Lost {
		entry.State, entry.DeviceReason = report.DeviceLost, e.Reason
		s.lost = e.Since()
		// The driver reports a second loss when it gives up for good.
		if n := len(s.events); n > 0 && s.events[n-1].State == report.DeviceLost {
			s.events = s.events[:n-1]
		}
	}
	s.events = append(s.events, entry)
}

// picture returns the state of the output for the live view: driver, sink, latency, and the reason of silence, as of
// the last poll. Only a device that package auto supervises has the names of driver and sink. For another device the
// value of --device is shown.
func (s *deviceMonitor) picture() liveview.Output {
	h := liveview.Output{Device: s.requested.String(), State: "playing", Latency: pcm.Duration(int64(s.device.Latency()), s.device.Rate()), Lost: s.lost}
	switch {
	case s.supervised != nil:
		h.Device, h.Sink = s.supervised.Driver(), s.supervised.Sink()
	case s.requested.Kind == "null":
		h.State = "silent, in real time"
	}
	return h
}

// report adds the losses and returns of the device to the report r. It polls the device first, so the latest events are
// included. For a device that package auto supervises, it also sets the number of seconds that were not heard in
// r.Totals.
func (s *deviceMonitor) report(r *report.Report) {
	s.poll()
	for _, e := range s.events {
		r.Insert(e)
	}
	if s.supervised != nil {
		r.Totals.UnheardSeconds = s.supervised.Unheard().Round(time.Microsecond).Seconds()
	}
}

// strictError returns an error if a part of the playback was not heard because the sound card was lost. With --device
// auto such a loss is an error only if strict is true. For a file and for null the result is nil.
func (s *deviceMonitor) strictError(strict bool) error {
	if s.supervised == nil || s.requested.Kind == "auto" && !strict {
		return nil
	}
	if gap := s.supervised.Unheard(); gap > 0 {
		return fmt.Errorf("--device %s: %.1f s were not heard", s.requested, gap.Seconds())
	}
	return nil
}

// openSoundCard opens a sound card. d is auto, pulse or oto, and config has the other settings. If d is auto and no
// card is found, openSoundCard prints a message and returns a device that plays silently until a card appears. With
// pulse or oto a missing card is an error. If several outputs are requested, a card with too few channels is an error,
// also for auto.
func openSoundCard(c *console.Console, d Device, config auto.Config) (device.Device, error) {
	if d.Kind != "auto" {
		config.Driver = d.Kind
		card, err := auto.Find(config)
		switch {
		case errors.Is(err, device.ErrOutputs):
			return nil, fmt.Errorf("--device %s: %s", d, auto.Reason(err))
		case err != nil:
			return nil, fmt.Errorf("--device %s: no sound here (%s)", d, auto.Reason(err))
		}
		return card, nil
	}
	if config.Outputs > 1 {
		card, err := auto.Find(config)
		if err == nil {
			return card, nil
		}
		if errors.Is(err, device.ErrOutputs) {
			return nil, fmt.Errorf("--device %s: %s", d, auto.Reason(err))
		}
	}
	best := auto.New(config)
	if why := best.Reason(); why != "" {
		c.Say("no sound here (%s): playing on silently, and looking for a sound card", why)
	}
	return best, nil
}
