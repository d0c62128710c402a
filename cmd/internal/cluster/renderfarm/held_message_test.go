package renderfarm

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// message is a queue message that counts its acknowledgments.
type message struct {
	jetstream.Msg // nil
	data          string
	kept          int
	told          []string
}

func (m *message) Data() []byte { return []byte(m.data) }
func (m *message) Metadata() (*jetstream.MsgMetadata, error) {
	return &jetstream.MsgMetadata{Sequence: jetstream.SequencePair{Stream: 7}}, nil
}
func (m *message) InProgress() error { m.kept++; return nil }
func (m *message) Ack() error        { m.told = append(m.told, "ack"); return nil }
func (m *message) Nak() error        { m.told = append(m.told, "nak"); return nil }
func (m *message) Term() error       { m.told = append(m.told, "term"); return nil }

// TestHold checks that a held message extends its deadline three times per acknowledgment time.
func TestHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, m := &worker{patience: 30 * time.Second}, &message{data: `{"do": "tune", "bundle": "", "version": "", "file": "a.yaml"}`}
		h := w.hold(m)
		if h == nil || h.number != 7 || h.order.Do != "tune" {
			t.Fatalf("it holds %+v", h)
		}
		for range 2 {
			time.Sleep(95 * time.Second)
			synctest.Wait()
			if m.kept != 9 {
				t.Errorf("the queue was told %d times, want 9", m.kept)
			}
			h.end(m.Ack)
		}
		if len(m.told) != 2 {
			t.Errorf("it was told %q", m.told)
		}
	})
}

// TestHoldOthers checks that an invalid message is removed for good and reported.
func TestHoldOthers(t *testing.T) {
	for _, data := range []string{"", "{", `{"do": "serve"}`, `{"do": "render", "args": ["-o", "/etc/passwd"]}`, `{"do": "render", "args": ["--seed", "3"]}`} {
		said := 0
		w, m := &worker{Options: Options{Log: func(string) { said++ }}}, &message{data: data}
		if h := w.hold(m); h != nil || len(m.told) != 1 || m.told[0] != "term" || said != 1 {
			t.Errorf("of %q it holds %+v, tells %q, says %d lines", data, h, m.told, said)
		}
	}
}

// TestAgain checks that again retries until success, the time limit, or the end of the context.
func TestAgain(t *testing.T) {
	fails := errors.New("fails")
	for _, c := range []struct {
		until, most, cancel time.Duration // when it succeeds, gives up and is canceled
		want                error
		took                time.Duration // at most
	}{
		{0, time.Minute, time.Hour, nil, 0},
		{10 * time.Second, time.Minute, time.Hour, nil, 11 * time.Second},
		{time.Hour, time.Minute, 2 * time.Hour, fails, time.Minute},
		{time.Hour, time.Minute, 5 * time.Second, fails, 5 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), c.cancel)
			defer cancel()
			begin, calls := time.Now(), 0
			err := retry(ctx, c.most, func(context.Context) error {
				if calls++; time.Since(begin) < c.until {
					return fails
				}
				return nil
			})
			if took := time.Since(begin); err != c.want || took > c.took || took < c.took-2*time.Second || calls > 70 {
				t.Errorf("%+v: %v after %v and %d calls", c, err, took, calls)
			}
		})
	}
}

// TestTold checks that a message is repeated only after another message or a minute.
func TestTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var bad messageLimiter
		said := ""
		for _, step := range []string{"a", "a", "b", "b", "a", "wait", "a", "a"} {
			if step == "wait" {
				time.Sleep(2 * time.Minute)
				continue
			}
			bad.log(func(line string) { said += line }, errors.New(step))
		}
		if said != "abaa" {
			t.Errorf("it says %q", said)
		}
	})
}
