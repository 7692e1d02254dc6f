package main

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
)

// report is the outcome of a run.
type report struct {
	c          config
	sent       int
	failed     int
	repeats    int // deliveries that repeated an earlier one
	duplicates int // answers that were called duplicates
	statuses   map[string]int
	latencies  []time.Duration // sorted
	maxLag     time.Duration
}

func summarise(c config, results []result) report {
	r := report{c: c, sent: len(results), statuses: make(map[string]int)}
	for _, x := range results {
		r.statuses[x.status]++
		r.latencies = append(r.latencies, x.latency)
		r.maxLag = max(r.maxLag, x.lag)
		if x.latency == forever {
			r.failed++
		}
		if x.repeat {
			r.repeats++
		}
		if x.duplicate {
			r.duplicates++
		}
	}
	slices.Sort(r.latencies)
	return r
}

// percentile returns the nearest-rank percentile of sorted values: the smallest value that at least p
// percent of them do not exceed.
func percentile(sorted []time.Duration, p float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	rank := int(math.Ceil(p/100*float64(len(sorted)) - 1e-9)) // 99.9 % of 1000 is exactly 999
	return sorted[max(1, rank)-1]
}

func (r report) write(w io.Writer, disks []disk) {
	fmt.Fprintln(w, "| rate/s | duration | connections | size | sent | not accepted | p50 ms | p99 ms | p99.9 ms | max ms |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|---|---|---|")
	fmt.Fprintf(w, "| %g | %v | %d | %d | %d | %d | %s | %s | %s | %s |\n",
		r.c.rate, r.c.duration, r.c.connections, r.c.size, r.sent, r.failed,
		millis(percentile(r.latencies, 50)), millis(percentile(r.latencies, 99)),
		millis(percentile(r.latencies, 99.9)), millis(percentile(r.latencies, 100)))
	var parts []string
	for _, s := range slices.Sorted(maps.Keys(r.statuses)) {
		parts = append(parts, fmt.Sprintf("%s: %d", s, r.statuses[s]))
	}
	fmt.Fprintf(w, "\nAnswers: %s. Repeated deliveries: %d, answered as duplicate: %d; distinct deliveries: %d. Latest start by the generator: %s ms.\n",
		strings.Join(parts, ", "), r.repeats, r.duplicates, r.sent-r.repeats, millis(r.maxLag))
	if len(disks) > 0 {
		fmt.Fprintln(w, "\n| disk | writes/s | p50 ms | p99 ms | max ms |\n|---|---|---|---|---|")
	}
	for _, d := range disks {
		fmt.Fprintf(w, "| %s %s, %d B | %.0f | %s | %s | %s |\n", syncName, d.when, diskBlock, d.perSecond, millis(d.p50), millis(d.p99), millis(d.max))
	}
}

// millis prints a latency in milliseconds; a failure is infinite.
func millis(d time.Duration) string {
	if d == forever {
		return "∞"
	}
	return fmt.Sprintf("%.2f", float64(d)/float64(time.Millisecond))
}
