package room

import (
	"testing"
	"testing/synctest"
)

// TestChangeOfAnEndedPlayer checks that a room whose player has ended plays the next sheet and accepts more.
func TestChangeOfAnEndedPlayer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, err := Open(t.Context(), Options{Name: "main", Text: []byte("sounds: {coin: {}}\n")})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close(0)
		for range 2 {
			ended := r.current()
			ended.player.Finish()
			r.wake()
			<-ended.done
			synctest.Wait()
			for _, text := range []string{"sounds: {bell: {}}\n", "sounds: {bell: {gain: -3}}\n", "buses: {sfx: {}}\nsounds: {bell: {bus: sfx}}\n"} {
				if err := r.Change(t.Context(), []byte(text)); err != nil {
					t.Fatal(err)
				}
				if _, err := r.Play(PlayRequest{Sound: "bell"}); err != nil {
					t.Error(err)
				}
			}
		}
	})
}
