package operator

// readKeys handles keys of the terminal b.options.Keys in the background: space pauses or resumes, Esc stops all
// sounds (panic), Q ends the show. restore restores the terminal; it is nil if there is not a terminal.
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

// key handles the bytes of one read from the terminal. Several bytes at a time are ignored: they are an arrow key or
// pasted text.
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
