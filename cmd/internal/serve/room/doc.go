// Package room runs a room: a mixer with its sounds, its sheet and its device, shared by several programs. It
// has no network code.
//
//	r, err := room.Open(ctx, room.Options{Name: "main", Text: sheet})
//	result, err := r.Play(room.PlayRequest{Sound: "bell"})
//	l, err := r.Listen("")          // the mix as it is played
//	defer r.Close(300*time.Millisecond)
package room
