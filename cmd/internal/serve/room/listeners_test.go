package room

import (
	"errors"
	"testing"

	"voicepool/pcm"
)

// TestListeners checks that a listener is rejected if its output was removed since the lookup: it would read beyond
// the blocks.
func TestListeners(t *testing.T) {
	h := listeners{pairs: 2}
	h.setPairs(1)
	err := h.add(&Listener{pair: 1, limit: 1 << 10, ready: make(chan struct{}, 1)})
	h.broadcast(make([]pcm.Frame, 8), 0)
	if e, ok := errors.AsType[*Error](err); !ok || e.Kind != NotFound || e.Field != "output" {
		t.Errorf("a listener of the second output of one enters: %v", err)
	}
	if err := h.add(&Listener{pair: 0, limit: 1 << 10, ready: make(chan struct{}, 1)}); err != nil || h.empty() {
		t.Errorf("a listener of the first is kept out: %v", err)
	}
}
