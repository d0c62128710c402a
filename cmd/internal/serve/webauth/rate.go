package webauth

import (
	"fmt"
	"math"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// bucket is a token bucket with the capacity of one second. The zero bucket is full.
type bucket struct {
	once    sync.Once
	limiter *rate.Limiter
}

// spend takes n tokens out of the bucket at the time now and returns 0. If the bucket has fewer tokens, spend removes
// no token and returns the time until there are enough. perSecond is both the capacity and the number of tokens added
// per second; every call must pass the same value. An n above perSecond counts as perSecond.
func (b *bucket) spend(n, perSecond int, now time.Time) time.Duration {
	b.once.Do(func() { b.limiter = rate.NewLimiter(rate.Limit(perSecond), perSecond) })
	n = min(n, perSecond)
	if b.limiter.AllowN(now, n) {
		return 0
	}
	missing := float64(n) - b.limiter.TokensAt(now)
	return max(1, time.Duration(math.Ceil(missing/float64(perSecond)*1e9)))
}

// maxAddresses is the maximum number of stored addresses.
const maxAddresses = 4096

// rates holds the buckets of the server and of each address.
type rates struct {
	server        bucket
	limit, single int
	mutex         sync.Mutex
	addresses     map[netip.Prefix]*bucket
}

// init sets the limits for requests, Rate and AddressRate of l, and removes the buckets of all addresses.
func (s *rates) init(l Limits) {
	s.limit, s.single = l.Rate, l.AddressRate
	s.addresses = map[netip.Prefix]*bucket{}
}

// of returns the bucket of block, an IPv4 address or IPv6 network, and makes a missing bucket. If 4,096 addresses have
// a bucket, it first drops a quarter of the buckets; those addresses then start with full buckets.
func (s *rates) of(block netip.Prefix) *bucket {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	b := s.addresses[block]
	if b == nil {
		evict(s.addresses)
		b = &bucket{}
		s.addresses[block] = b
	}
	return b
}

// evict deletes a quarter of the entries of m, chosen at random, if m has 4,096 entries or more.
func evict[T any](m map[netip.Prefix]T) {
	if len(m) < maxAddresses {
		return
	}
	n := 0
	for block := range m {
		delete(m, block)
		if n++; n == maxAddresses/4 {
			return
		}
	}
}

// countRequests counts n requests of v against the limits per second of its address, its credential and the server, in
// this order. At the first exceeded limit it counts a rejection and returns a *Denied with status 429, and the limits
// after it do not count the requests. Otherwise it returns nil. On loopback only the limit of the server counts.
func (v *visitor) countRequests(n int) *Denied {
	r, now := &v.guard.rates, time.Now()
	wait, limit := time.Duration(0), r.single
	what := "address"
	if !v.addr.loopback {
		wait = r.of(v.addr.block).spend(n, r.single, now)
		if wait == 0 && v.credential != nil {
			wait, what = v.credential.bucket.spend(n, r.single, now), "token"
		}
	}
	if wait == 0 {
		wait, limit, what = r.server.spend(n, r.limit, now), r.limit, "server"
	}
	if wait == 0 {
		return nil
	}
	v.guard.counts.rates.Add(1)
	return &Denied{Status: 429, Detail: fmt.Sprintf("more than %d requests a second from this %s", limit, what), Limit: limit, RetryAfter: wait}
}

// failures limits how often an address may try tokens. Each failure above the limit doubles the
// waiting time, up to 15 minutes.
type failures struct {
	limit     int
	mutex     sync.Mutex
	addresses map[netip.Prefix]*attempts
}

// attempts is an address that has tried wrong tokens.
type attempts struct {
	minuteStart time.Time // when its minute began
	count       int
	wait        time.Duration
	blocked     time.Time // end of the waiting time
}

const (
	firstWait = 10 * time.Second
	maxWait   = 15 * time.Minute
)

// blocked returns a *Denied with status 429 while the address a must wait after wrong tokens, otherwise nil. It counts
// no failure.
func (f *failures) blocked(a address) *Denied {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return f.refuse(f.addresses[a.block], time.Now())
}

// fail counts a wrong token from the address a. It returns a *Denied with status 429 if the address must wait, because
// of this or an earlier token, otherwise nil. The first wait, of 10 s, follows more than Limits.Logins wrong tokens in
// a minute; each further wrong token after a wait doubles it, up to 15 minutes. 15 minutes without failures end that.
func (f *failures) fail(a address) *Denied {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	now := time.Now()
	t := f.addresses[a.block]
	if t == nil {
		if f.addresses == nil {
			f.addresses = map[netip.Prefix]*attempts{}
		}
		evict(f.addresses)
		t = &attempts{minuteStart: now}
		f.addresses[a.block] = t
	}
	if err := f.refuse(t, now); err != nil {
		return err
	}
	if now.Sub(laterOf(t.minuteStart, t.blocked)) > maxWait { // long enough without failures
		*t = attempts{minuteStart: now}
	} else if t.wait == 0 && now.Sub(t.minuteStart) > time.Minute {
		t.minuteStart, t.count = now, 0
	}
	t.count++
	if t.count <= f.limit {
		return nil
	}
	t.wait = min(max(2*t.wait, firstWait), maxWait)
	t.blocked = now.Add(t.wait)
	return f.refuse(t, now)
}

// laterOf returns the later of two times.
func laterOf(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// refuse returns a *Denied with status 429 while t is blocked at now, otherwise nil. t may be nil: not blocked. The
// caller holds the mutex.
func (f *failures) refuse(t *attempts, now time.Time) *Denied {
	if t == nil || !now.Before(t.blocked) {
		return nil
	}
	return &Denied{Status: 429, Detail: fmt.Sprintf("more than %d wrong tokens a minute from this address", f.limit), Limit: f.limit, RetryAfter: t.blocked.Sub(now)}
}
