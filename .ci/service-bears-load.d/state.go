package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// kept keeps the state of 400 and of 2,000 rooms. It measures how long a restart and the end take, when a
// change is on the disk, and the cost of silent rooms.
func kept(ctx context.Context, o *options, j *judge) error {
	for _, n := range []int{400, 2000} {
		if err := keeping(ctx, o, j, max(n/o.share, 1)); err != nil {
			return fmt.Errorf("%d rooms: %w", n, err)
		}
	}
	return nil
}

// keeping changes rooms, leaves them silent, ends the server and restarts it.
func keeping(ctx context.Context, o *options, j *judge, n int) error {
	state, err := os.MkdirTemp("", "voicepool-state-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(state)
	s, err := serve(ctx, o, n, 8, "--state", state)
	if err != nil {
		return err
	}
	defer func() { s.kill() }()
	has := func(name, part string) bool {
		text, err := os.ReadFile(filepath.Join(state, "rooms", name+".json"))
		return err == nil && strings.Contains(string(text), part)
	}
	last := s.names[n-1]
	for end := time.Now().Add(time.Minute); !has(last, `"text"`); {
		if time.Now().After(end) {
			return fmt.Errorf("the rooms are not written within a minute")
		}
		pause(ctx, 100*time.Millisecond)
	}
	pause(ctx, 3*time.Second)
	used := s.processor()
	pause(ctx, 10*time.Second)
	j.note("%d silent rooms: %.2f %% of a core", n, 10*(s.processor()-used))

	begin := time.Now()
	for _, name := range s.names { // all rooms change at once
		if status, text, err := s.call(ctx, http.MethodPatch, "/v1/rooms/"+name+"/buses/sfx", map[string]any{"gain": -7}); err != nil || status != http.StatusOK {
			return fmt.Errorf("%d %s %w", status, text, err)
		}
	}
	changed := time.Now()
	missing := 0
	for _, name := range s.names {
		for end := changed.Add(30 * time.Second); !has(name, `"gain": -7`) && time.Now().Before(end); {
			pause(ctx, 10*time.Millisecond)
		}
		if !has(name, `"gain": -7`) {
			missing++
		}
	}
	j.check(missing == 0, "%d rooms changed within %v, %d are not on the disk", n, changed.Sub(begin).Round(time.Millisecond), missing)
	j.note("%d rooms: the last change was on the disk %v after it", n, time.Since(changed).Round(10*time.Millisecond))

	begin = time.Now()
	if err := s.stop(); err != nil {
		return err
	}
	j.note("%d rooms: SIGTERM took %v", n, time.Since(begin).Round(10*time.Millisecond))
	begin = time.Now()
	if s, err = serve(ctx, o, n, 8, "--state", state); err != nil {
		return err
	}
	j.note("%d rooms: ready %v after a restart, alive after %v", n, time.Since(begin).Round(100*time.Millisecond), s.alive.Sub(begin).Round(100*time.Millisecond))
	_, text, err := s.call(ctx, http.MethodGet, "/v1/rooms/"+last+"/state", nil)
	j.check(err == nil && strings.Contains(string(text), `"gain":-7`), "a room is as it was")
	return s.stop()
}
