package main

// busState is what the board knows of a bus.
type busState struct {
	parent       string
	mute, soloed bool
}

// silenced reports whether a bus is muted, or beside a soloed one.
func (b *board) silenced(bus string) bool {
	soloed := false
	for up := bus; ; up = b.buses[up].parent {
		if up == "" {
			up = "master"
		}
		if b.buses[up].mute {
			return true
		}
		soloed = soloed || b.buses[up].soloed
		if up == "master" {
			break
		}
	}
	if !soloed {
		for _, s := range b.buses {
			if s.soloed {
				return true
			}
		}
	}
	return false
}

// below reports whether a bus is another or goes into it.
func (b *board) below(bus, other string) bool {
	for ; bus != "" && bus != other; bus = b.buses[bus].parent {
	}
	return bus == other || other == "master"
}
