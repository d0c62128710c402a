package webauth

import (
	"cmp"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"voicepool/cmd/internal/serve/problemjson"
)

// hostNames returns the set of names that a Host header may have: the names in hosts, and localhost. The names in the
// set are in lower case and have no port.
func hostNames(hosts []string) map[string]bool {
	names := map[string]bool{"localhost": true}
	for _, h := range hosts {
		name, _ := splitHost(h)
		names[name] = true
	}
	return names
}

// splitHost splits host into a name and a port. The name is in lower case, without brackets and without a final dot.
// The port is "" if host has no port. splitHost checks neither.
func splitHost(host string) (name, port string) {
	name = host
	if n, p, err := net.SplitHostPort(host); err == nil {
		name, port = n, p
	} else {
		name = strings.TrimSuffix(strings.TrimPrefix(name, "["), "]")
	}
	return strings.TrimSuffix(strings.ToLower(name), "."), port
}

// host returns nil if the Host header of r names this server, otherwise a *problemjson.Problem with the status 403.
// Accepted are the names in Options.Hosts, localhost, loopback addresses, and the local address of the connection, with
// any port. The check prevents DNS rebinding, an attack by a page whose host name points to this machine.
func (s *rules) host(r *http.Request) *problemjson.Problem {
	name, _ := splitHost(r.Host)
	if s.hosts[name] {
		return nil
	}
	if a, err := netip.ParseAddr(name); err == nil {
		local, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
		if a = a.Unmap().WithZone(""); a.IsLoopback() || local != nil && a == addressOf(local.String()).ip {
			return nil
		}
	}
	return problemjson.New(403, "Host: unknown name of this server; add it with --host")
}

// origin returns a *problemjson.Problem with the status 403 if r comes from a page of another site, and nil otherwise.
// It checks only requests that change state or open a WebSocket. The header Origin decides or, without it, the header
// Sec-Fetch-Site. Without both headers, r does not come from a browser and is accepted. But if cookie is true, a cookie
// identifies the caller, and one header is required: browsers send cookies with requests of foreign pages, too.
func (s *rules) origin(r *http.Request, cookie bool) *problemjson.Problem {
	if safe(r.Method) && !upgrades(r) {
		return nil
	}
	if list := r.Header.Values("Origin"); len(list) > 0 {
		for _, origin := range list {
			if !s.sameOrigin(origin, r.Host) {
				return problemjson.New(403, "Origin: a page of another site may not do this")
			}
		}
		return nil
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "same-origin", "none":
		return nil
	case "":
		if !cookie {
			return nil // not a browser
		}
		return problemjson.New(403, "Origin: required together with the cookie; programs send Authorization: Bearer TOKEN")
	}
	return problemjson.New(403, "Sec-Fetch-Site: a page of another site may not do this")
}

// sameOrigin reports whether origin, the value of an Origin header, is a page of this server. Its host and port must be
// equal to host, the Host header of the request, or to an entry of Options.Hosts. Its scheme must be https, or may be
// http if the server does not use TLS.
func (s *rules) sameOrigin(origin, host string) bool {
	u, err := url.Parse(origin)
	if err != nil || u.User != nil || u.Path != "" || u.RawQuery != "" || u.Fragment != "" || u.Host == "" {
		return false
	}
	if u.Scheme != "https" && (u.Scheme != "http" || s.Secure) {
		return false
	}
	return slices.ContainsFunc(append([]string{host}, s.Hosts...), func(h string) bool { return sameHost(u.Host, h, u.Scheme) })
}

// sameHost reports whether the hosts a and b are equal, with their ports and without regard to case. A missing port
// means the default port of scheme, "http" or "https".
func sameHost(a, b, scheme string) bool {
	standard := map[string]string{"http": "80", "https": "443"}[scheme]
	nameA, portA := splitHost(a)
	nameB, portB := splitHost(b)
	portA = cmp.Or(portA, standard)
	portB = cmp.Or(portB, standard)
	return nameA == nameB && portA == portB
}

// safe reports whether requests with the HTTP method method do not change state: GET, HEAD and OPTIONS.
func safe(method string) bool {
	return method == http.MethodGet || method == http.MethodHead || method == http.MethodOptions
}

// upgrades reports whether r requests to switch protocols, as for a WebSocket.
func upgrades(r *http.Request) bool {
	return r.Header.Get("Upgrade") != "" || strings.Contains(strings.ToLower(r.Header.Get("Connection")), "upgrade")
}

// setSecurityHeaders sets headers in h, the headers of a response, that restrict pages in browsers, such as
// Content-Security-Policy. tls reports whether the request came over TLS; only then it adds Cross-Origin-Opener-Policy.
func setSecurityHeaders(h http.Header, tls bool) {
	h.Set("Content-Security-Policy", "default-src 'self'; connect-src 'self' ws: wss:; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin") // with no-referrer, browsers send the login form with "Origin: null"
	h.Set("X-Frame-Options", "DENY")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	if tls {
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
	}
}
