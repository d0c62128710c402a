package webauth

import (
	"math"
	"net/netip"
	"slices"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"voicepool/cmd/internal/serve/problemjson"
)

// bucket is a token bucket with the capacity of one second. The zero bucket is full.
type bucket struct {
	once    sync.Once
	limiter *rate.Limiter
}

// spend takes n tokens out of the bucket at the time now and returns 0. If the bucket has fewer tokens, spend takes no
// token and returns the time until there are enough. perSecond is the capacity of the bucket, and also the number of
// tokens that are added per second. Each call must pass the same value. An n above perSecond counts as perSecond.
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

// init sets the limits of requests per second from l: Rate for the server and AddressRate for each address. It removes
// the buckets of all addresses.
func (s *rates) init(l Limits) {
	s.limit, s.single = l.Rate, l.AddressRate
	s.addresses = map[netip.Prefix]*bucket{}
}

// of returns the rate bucket of block, an IPv4 address or an IPv6 network. It makes a full bucket if block has no
// bucket yet. If 4,096 addresses have a bucket, it first drops a quarter of the buckets, chosen at random.
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

// evict deletes a quarter of the largest size, 1,024 entries chosen at random, from m. If m has fewer than 4,096
// entries, it has no effect.
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

// countRequests counts n requests of v against three limits per second: of the address, of the credential and of the
// server, in this order. On loopback only the limit of the server counts. At the first limit that is exceeded,
// countRequests stops, counts a rejection and returns a *problemjson.Problem with the status 429. The limits after it
// do not count the requests. Otherwise it returns nil. An n above a limit counts as that limit.
func (v *visitor) countRequests(n int) *problemjson.Problem {
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
	return problemjson.New(429, "more than %d requests a second from this %s", limit, what).WithLimit(int64(limit)).WithRetry(wait)
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

// blocked returns a *problemjson.Problem with the status 429 while the address a must wait after wrong tokens.
// Otherwise it returns nil. It does not count a failure.
func (f *failures) blocked(a address) *problemjson.Problem {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return f.refuse(f.addresses[a.block], time.Now())
}

// fail counts a wrong token from the address a. It returns a *problemjson.Problem with the status 429 if the address
// must wait, because of this token or earlier tokens. Otherwise it returns nil. A wait begins after more than
// Limits.Logins wrong tokens in a minute, and lasts 10 s. Each further wrong token after a wait starts a wait of twice
// the length, up to 15 minutes. A token during a wait is not counted. After 15 minutes without failures the counts
// begin again.
func (f *failures) fail(a address) *problemjson.Problem {
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
	if now.Sub(slices.MaxFunc([]time.Time{t.minuteStart, t.blocked}, time.Time.Compare)) > maxWait { // long enough without failures
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

// refuse returns a *problemjson.Problem with the status 429 while t must wait at the time now. Otherwise, also if t is
// nil, it returns nil. The caller holds the mutex of f.
func (f *failures) refuse(t *attempts, now time.Time) *problemjson.Problem {
	if t == nil || !now.Before(t.blocked) {
		return nil
	}
	return problemjson.New(429, "more than %d wrong tokens a minute from this address", f.limit).WithLimit(int64(f.limit)).WithRetry(t.blocked.Sub(now))
}
