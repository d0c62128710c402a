// Package room keeps a room: a mixer with its sounds, its sheet and its device, played by many
// programs at once. It knows no network.
//
//	r, err := room.Open(ctx, room.Options{Name: "main", Text: sheet})
//	verdict, err := r.Play(room.Order{Sound: "bell"})
//	l, err := r.Listen("")          // the mix as it is played
//	defer r.Close(300*time.Millisecond)
package room
