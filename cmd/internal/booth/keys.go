package booth

// readKeys reads keys from a terminal in the background: space pauses or resumes, Esc stops all
// sounds (panic), Q ends the show. It returns a function that restores the terminal, or nil if the
// keys do not come from a terminal.
func (b *Booth) readKeys() (restore func()) {
	if b.options.Keys == nil {
		return nil
	}
	restore, err := single(b.options.Keys)
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

// key handles the bytes of one read. Several bytes at once are ignored: they are an arrow key or
// pasted text.
func (b *Booth) key(key string) {
	switch key {
	case " ":
		b.show.Pause(!b.show.Paused())
	case "\x1b":
		b.show.Panic()
	case "q", "Q":
		b.show.Quit()
	}
}
