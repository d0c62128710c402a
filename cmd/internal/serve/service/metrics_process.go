package service

import (
	"bufio"
	"bytes"
	"io"
	"math"
	"os"
	runtimemetrics "runtime/metrics"
	"strconv"
	"strings"

	victoria "github.com/VictoriaMetrics/metrics"
)

// writeProcess writes to w the process metrics that the metrics library lacks. These are settings of the Go runtime,
// network bytes, and the limit of the address space. The last two come from /proc and are left out where the system has
// no such file.
func writeProcess(w io.Writer) {
	runtime := []runtimemetrics.Sample{{Name: "/gc/gogc:percent"}, {Name: "/gc/gomemlimit:bytes"}, {Name: "/sched/gomaxprocs:threads"}}
	runtimemetrics.Read(runtime)
	for i, name := range []string{"go_gc_gogc_percent", "go_gc_gomemlimit_bytes", "go_sched_gomaxprocs_threads"} {
		if runtime[i].Value.Kind() == runtimemetrics.KindUint64 {
			victoria.WriteGaugeUint64(w, name, runtime[i].Value.Uint64())
		}
	}
	if received, sent, ok := networkBytes(); ok {
		victoria.WriteCounterUint64(w, "process_network_receive_bytes_total", received)
		victoria.WriteCounterUint64(w, "process_network_transmit_bytes_total", sent)
	}
	if most, ok := addressSpace(); ok {
		victoria.WriteGaugeFloat64(w, "process_virtual_memory_max_bytes", most)
	}
}

// networkBytes returns how many bytes of IP traffic were received and sent. The counts include all processes in the
// network namespace of this process, since the namespace exists. ok is false if the system does not provide the counts.
func networkBytes() (received, sent uint64, ok bool) {
	text, err := os.ReadFile("/proc/self/net/netstat")
	if err != nil {
		return 0, 0, false
	}
	var names []string
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] != "IpExt:" {
			continue
		}
		if names == nil {
			names = words
			continue
		}
		for i, name := range names[:min(len(names), len(words))] {
			n, _ := strconv.ParseUint(words[i], 10, 64)
			switch name {
			case "InOctets":
				received = n
			case "OutOctets":
				sent = n
			}
		}
		return received, sent, true
	}
	return 0, 0, false
}

// addressSpace returns the largest size of the address space of this process in bytes. If it is unlimited, most is
// 2^64. ok is false if the system does not provide the limit.
func addressSpace() (most float64, ok bool) {
	text, err := os.ReadFile("/proc/self/limits")
	if err != nil {
		return 0, false
	}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		rest, found := strings.CutPrefix(lines.Text(), "Max address space")
		if words := strings.Fields(rest); found && len(words) > 0 {
			if words[0] == "unlimited" {
				return math.MaxUint64, true
			}
			most, err := strconv.ParseFloat(words[0], 64)
			return most, err == nil
		}
	}
	return 0, false
}
