package booth

// press follows the keys of a terminal: space pauses, Esc panics, Q ends. It returns what gives the
// terminal back; nil where there is none.
func (b *Booth) press() (restore func()) {
	if b.options.Keys == nil {
		return nil
	}
	restore, err := single(b.options.Keys)
	if err != nil {
		return nil // it is no terminal
	}
	go func() { // a read of a terminal may never end
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

// key does what a key says. What comes together is no key that somebody pressed: an arrow, or what
// was pasted.
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
