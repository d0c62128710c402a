package webauth

import "net/netip"

// address is the address of a client.
type address struct {
	ip       netip.Addr   // zero for a unix socket
	block    netip.Prefix // the addresses that one client is likely to own: an IPv6 /64, or a single IPv4 address
	loopback bool
}

// addressOf parses text, an IP address with a port as package net prints it. The port and the zone are dropped. An IPv4
// address written as IPv6 becomes IPv4. Any other text is the address of a Unix socket, and counts as loopback.
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
