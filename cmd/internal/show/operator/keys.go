package operator

// readKeys starts a goroutine that carries out the keys of the terminal b.options.Keys: space pauses or resumes, Esc
// stops all sounds (panic), Q ends the show. It returns the function restore, which the caller must call at the end, to
// restore the mode of the terminal. Without a terminal, restore is nil and no key is read.
func (b *Console) readKeys() (restore func()) {
	if b.options.Keys == nil {
		return nil
	}
	restore, err := unbuffered(b.options.Keys)
	if err != nil {
		return nil // not a terminal
	}
	go func() { // not awaited: a read of a terminal may never end
		var keys [64]byte
		for {
			n, err := b.options.Keys.Read(keys[:])
			if err != nil {
				return
			}
			b.key(string(keys[:n]))
		}
	}()
	return restore
}

// key carries out the command for key, the bytes of one read from the terminal: space, Esc or Q. Other keys are
// ignored. Several bytes at once are also ignored, because they are an arrow key or pasted text.
func (b *Console) key(key string) {
	switch key {
	case " ":
		b.show.Pause(!b.show.Paused())
	case "\x1b":
		b.show.Panic()
	case "q", "Q":
		b.show.Quit()
	}
}
