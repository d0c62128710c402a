package guard

import "net/netip"

// address is where somebody asks from.
type address struct {
	ip       netip.Addr   // zero: a socket of this machine
	block    netip.Prefix // what one client is likely to have: of IPv6 the /64
	loopback bool
}

// addressOf reads an address as net gives it, with a port.
func addressOf(text string) address {
	at, err := netip.ParseAddrPort(text)
	if err != nil {
		return address{loopback: true} // a unix socket
	}
	ip := at.Addr().Unmap().WithZone("")
	bits := 64
	if ip.Is4() {
		bits = 32
	}
	block, _ := ip.Prefix(bits)
	return address{ip: ip, block: block, loopback: ip.IsLoopback()}
}
