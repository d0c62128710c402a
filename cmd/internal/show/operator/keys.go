package operator

// readKeys handles keys of the terminal b.options.Keys in the background: space pauses or resumes, Esc stops all sounds
// (panic), Q ends the show. The caller must call restore at the end, which restores the terminal's mode. restore is nil
// if Keys is nil or not a terminal.
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

// key carries out the command for key, the bytes of one read from the terminal: space, Esc or Q. Other bytes are
// ignored, and so are several bytes at a time, which are an arrow key or pasted text.
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
