package service

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"voicepool/cmd/internal/room"
	"voicepool/mixer"
)

// metrics counts what happens. What rooms count themselves is read when somebody asks.
type metrics struct {
	server  *Server
	handler http.Handler

	calls   *prometheus.CounterVec
	took    *prometheus.HistogramVec
	sockets *prometheus.GaugeVec
	drops   *prometheus.CounterVec
	osc     *prometheus.CounterVec
	nats    *prometheus.CounterVec
	stores  *prometheus.CounterVec
	watches prometheus.Counter

	over sums // of rooms that have ended; under the server's mutex
}

// sums are what rooms have counted together.
type sums struct {
	started, rejected, limited, coalesced, stolen int64
	late, underruns, lost, slow                   int64
}

// add adds what a room has counted.
func (s *sums) add(st *mixer.Stats, slow int64) {
	s.started += st.Started
	s.rejected += st.Rejected
	s.limited += st.Limited
	s.coalesced += st.Coalesced
	s.stolen += st.Stolen
	s.late += st.Late
	s.underruns += st.Underruns
	s.lost += st.EventsLost
	s.slow += slow
}

func newMetrics(s *Server) *metrics {
	m := &metrics{
		server:  s,
		calls:   prometheus.NewCounterVec(prometheus.CounterOpts{Name: "voicepool_http_requests_total", Help: "Calls that were answered, by route and status."}, []string{"route", "code"}),
		took:    prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "voicepool_http_request_duration_seconds", Help: "Time from a call to the end of its answer, by route.", Buckets: []float64{1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1, 0.3, 1, 3}}, []string{"route"}),
		sockets: prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "voicepool_websockets", Help: "WebSockets that are open, by kind."}, []string{"kind"}),
		drops:   prometheus.NewCounterVec(prometheus.CounterOpts{Name: "voicepool_readers_dropped_total", Help: "Readers that were dropped since they were too slow, by kind."}, []string{"kind"}),
		osc:     prometheus.NewCounterVec(prometheus.CounterOpts{Name: "voicepool_osc_messages_total", Help: "Messages of Open Sound Control, by what became of them."}, []string{"outcome"}),
		nats:    prometheus.NewCounterVec(prometheus.CounterOpts{Name: "voicepool_nats_messages_total", Help: "Messages over NATS, by kind and by what became of them."}, []string{"kind", "outcome"}),
		stores:  prometheus.NewCounterVec(prometheus.CounterOpts{Name: "voicepool_store_failures_total", Help: "Rooms and sounds that could not be stored, by reason."}, []string{"reason"}),
		watches: prometheus.NewCounter(prometheus.CounterOpts{Name: "voicepool_nats_watch_errors_total", Help: "Watches on the nodes and rooms of NATS that have failed."}),
	}
	for _, reason := range []string{"disk full", "other"} {
		m.stores.WithLabelValues(reason)
	}
	for _, kind := range []string{"orders", "audio", "events", "answers"} {
		m.drops.WithLabelValues(kind)
	}
	for _, kind := range []string{"orders", "audio"} {
		m.sockets.WithLabelValues(kind)
	}
	for _, outcome := range []string{"received", "dropped"} {
		m.osc.WithLabelValues(outcome)
	}
	for _, kind := range []string{Orders, Replies, Events} {
		m.nats.WithLabelValues(kind, "passed")
		m.nats.WithLabelValues(kind, "dropped")
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(m.calls, m.took, m.sockets, m.drops, m.osc, m.nats, m.stores, m.watches, m, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.handler = promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
	return m
}

// call counts an answer. A stream is counted, but its time is nobody's wait.
func (m *metrics) call(pattern string, status int, took time.Duration) {
	_, route, _ := strings.Cut(pattern, " ")
	if route == "" {
		route = "/"
	}
	if status == 0 {
		status = http.StatusSwitchingProtocols
	}
	m.calls.WithLabelValues(route, strconv.Itoa(status)).Inc()
	switch route[strings.LastIndexByte(route, '/')+1:] {
	case "events", "audio.wav", "audio", "ws":
	default:
		m.took.WithLabelValues(route).Observe(took.Seconds())
	}
}

// dropped counts a reader that takes nothing any more, where it is not gone.
func (m *metrics) dropped(kind string, ctx context.Context) {
	if ctx.Err() == nil {
		m.slow(kind)
	}
}

func (m *metrics) slow(kind string) { m.drops.WithLabelValues(kind).Inc() }

// OSC counts messages of Open Sound Control: those that were received, and of those the ones that were
// dropped. Any goroutine.
func (s *Server) OSC(received, dropped int) {
	s.metrics.osc.WithLabelValues("received").Add(float64(received))
	s.metrics.osc.WithLabelValues("dropped").Add(float64(dropped))
}

// Unstored counts a room or a sound that could not be stored. Any goroutine.
func (s *Server) Unstored(err error) {
	reason := "other"
	if full(err) {
		reason = "disk full"
	}
	s.metrics.stores.WithLabelValues(reason).Inc()
}

// Kinds of messages over NATS.
const (
	Orders  = "orders"
	Replies = "replies"
	Events  = "events"
)

// NATS counts messages over NATS of a kind: those that went through, and those that were dropped. Any
// goroutine.
func (s *Server) NATS(kind string, passed, dropped int) {
	s.metrics.nats.WithLabelValues(kind, "passed").Add(float64(passed))
	s.metrics.nats.WithLabelValues(kind, "dropped").Add(float64(dropped))
}

// Watches counts watches on the nodes and rooms of NATS that have failed. Any goroutine.
func (s *Server) Watches(failed int) { s.metrics.watches.Add(float64(failed)) }

// scrape answers with all metrics, as Prometheus reads them.
func (s *Server) scrape(w http.ResponseWriter, r *http.Request) error {
	s.metrics.handler.ServeHTTP(w, r)
	return nil
}

// Descriptions of what is read when somebody asks.
var (
	roomsNow     = described("voicepool_rooms", "Rooms that there are.")
	voicesNow    = described("voicepool_voices_playing", "Voices that play, in all rooms.")
	voicesPool   = described("voicepool_voices_pool", "Voices that can play at once, in all rooms.")
	starts       = described("voicepool_starts_total", "Starts that were asked for, by outcome.", "outcome")
	stolen       = described("voicepool_voices_stolen_total", "Voices that lost their slot to a newcomer.")
	underruns    = described("voicepool_stream_underruns_total", "Gaps in streams that were not decoded in time.")
	eventsLost   = described("voicepool_events_lost_total", "Events that came faster than they were read.")
	listeners    = described("voicepool_listeners", "Those who hear a room over the network.")
	slowEars     = described("voicepool_listeners_dropped_total", "Listeners that were dropped since they were too slow.")
	devicesLost  = described("voicepool_devices_lost", "Rooms whose device is lost.")
	roomsStill   = described("voicepool_rooms_behind", "Rooms of which what was due two seconds ago is not mixed.")
	commandsLate = described("voicepool_commands_late_total", "Commands for a frame that was over when they arrived.")
	roomsAwake   = described("voicepool_rooms_awake", "Rooms without a card that are not silent.")
	blocks       = described("voicepool_blocks_total", "Blocks of rooms without a card that were mixed.")
	blocksLate   = described("voicepool_blocks_late_total", "Blocks that were mixed more than 20 ms after they were due.")
	skipped      = described("voicepool_frames_skipped_total", "Frames that were left out after a standstill.")
	longest      = described("voicepool_block_longest_seconds", "The longest time that a block took.")
)

func described(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(name, help, labels, nil)
}

// Describe is for the registry: what Collect gives is not known before.
func (m *metrics) Describe(chan<- *prometheus.Desc) {}

// Collect gives what rooms have counted.
func (m *metrics) Collect(out chan<- prometheus.Metric) {
	rooms, sum := m.server.census()
	var playing, pool, ears, lost, behind int64
	for _, r := range rooms {
		b := r.Brief()
		n, slow := r.Listeners()
		sum.add(&b.Stats, slow)
		playing, pool, ears = playing+b.Stats.Playing, pool+b.Stats.Voices, ears+int64(n)
		if b.Lost != "" {
			lost++
		}
		if b.Behind > stale {
			behind++
		}
	}
	gauge := func(d *prometheus.Desc, x float64) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, x)
	}
	counter := func(d *prometheus.Desc, x int64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(x), labels...)
	}
	gauge(roomsNow, float64(len(rooms)))
	gauge(voicesNow, float64(playing))
	gauge(voicesPool, float64(pool))
	gauge(listeners, float64(ears))
	gauge(devicesLost, float64(lost))
	gauge(roomsStill, float64(behind))
	counter(starts, sum.started, "started")
	counter(starts, sum.rejected, "rejected")
	counter(starts, sum.limited, "limited")
	counter(starts, sum.coalesced, "coalesced")
	counter(stolen, sum.stolen)
	counter(commandsLate, sum.late)
	counter(underruns, sum.underruns)
	counter(eventsLost, sum.lost)
	counter(slowEars, sum.slow)
	if w := m.server.mixing(); w != nil {
		p := w.Pace()
		gauge(roomsAwake, float64(p.Awake))
		gauge(longest, p.Longest.Seconds())
		counter(blocks, p.Blocks)
		counter(blocksLate, p.Late)
		counter(skipped, p.Skipped)
	}
}

// mixing returns what mixes the rooms that calls make; nil: nothing yet.
func (s *Server) mixing() *room.Workers {
	s.mutex.RLock()
	defer s.mutex.RUnlock()
	if s.options.Workers != nil {
		return s.options.Workers
	}
	return s.own
}
