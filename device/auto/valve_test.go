package auto

import (
	"testing"
	"time"

	"voicepool/pcm"
)

// TestOffer: an offer that was taken back is none, even when it has been accepted.
func TestOffer(t *testing.T) {
	for _, accepted := range []bool{false, true} {
		v, block := &valve{}, make([]pcm.Frame, 4)
		v.open(&counter{t: t}, rate, nobody)
		v.take(0, time.Now())
		if v.render(3, block) || !v.render(nobody, block) {
			t.Fatal("one who may not pull does, or nobody may")
		}
		if v.offer(3, 0); accepted && (!v.render(3, block) || v.render(nobody, block)) {
			t.Error("who was offered it may not pull, or nobody still may")
		}
		if _, holds := v.holds(3); holds != accepted {
			t.Errorf("holds is %v", holds)
		}
		v.refuse(3)
		if v.render(3, block) || !v.render(nobody, block) {
			t.Errorf("accepted %v: after the refusal it may still pull, or nobody may", accepted)
		}
		v.close()
		if n := v.count(); v.render(nobody, block) || v.count() != n {
			t.Error("it renders when it is closed")
		}
	}
}
