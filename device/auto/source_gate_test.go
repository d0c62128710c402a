package auto

import (
	"testing"
	"time"

	"voicepool/pcm"
)

// TestOffer checks that a withdrawn offer is void, even after it was accepted.
func TestOffer(t *testing.T) {
	for _, accepted := range []bool{false, true} {
		v, block := &sourceGate{}, make([]pcm.Frame, 4)
		v.open(&counter{t: t}, rate, keeperHolder)
		v.transferToKeeper(0, time.Now())
		if v.render(3, block) || !v.render(keeperHolder, block) {
			t.Fatal("one who may not pull does, or nobody may")
		}
		if v.offer(3, 0); accepted && (!v.render(3, block) || v.render(keeperHolder, block)) {
			t.Error("who was offered it may not pull, or nobody still may")
		}
		if _, holds := v.holds(3); holds != accepted {
			t.Errorf("holds is %v", holds)
		}
		v.cancelHandover(3)
		if v.render(3, block) || !v.render(keeperHolder, block) {
			t.Errorf("accepted %v: after the refusal it may still pull, or nobody may", accepted)
		}
		v.close()
		if n := v.renderedFrames(); v.render(keeperHolder, block) || v.renderedFrames() != n {
			t.Error("it renders when it is closed")
		}
	}
}

// TestCardSourceOutputs checks that frames are counted per output, for the card and for the source.
func TestCardSourceOutputs(t *testing.T) {
	for _, outputs := range []int{1, 2, 4, 16} {
		v := &sourceGate{}
		v.open(&counter{t: t, outputs: outputs}, rate, 1)
		holds, other := &cardSource{gate: v, attempt: 1, rate: rate, outputs: outputs}, &cardSource{gate: v, attempt: 2, rate: rate, outputs: outputs}
		block := make([]pcm.Frame, 100*outputs)
		other.Render(block)
		holds.Render(block)
		if holds.consumed.Load() != 100 || other.consumed.Load() != 100 || v.renderedFrames() != 100 {
			t.Errorf("%d outputs: %d and %d frames were taken, %d rendered, want 100",
				outputs, holds.consumed.Load(), other.consumed.Load(), v.renderedFrames())
		}
		if n := testing.AllocsPerRun(10, func() { holds.Render(block) }); n != 0 {
			t.Errorf("%v allocations a block", n)
		}
	}
}
