package answers

import (
	"fmt"
	"maps"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"testing"
	"time"
)

// mostPeak bounds the memory for reading and decoding one answer, in MiB.
const mostPeak = 32

// watch samples the bytes of objects on the heap, including those that the garbage collector has not
// found yet, until the returned function is called, which returns the largest sample.
func watch() (most func() uint64) {
	stop, over := make(chan struct{}), make(chan uint64)
	go func() {
		tick := time.NewTicker(200 * time.Microsecond)
		defer tick.Stop()
		seen, sample := uint64(0), []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		for {
			metrics.Read(sample)
			seen = max(seen, sample[0].Value.Uint64())
			select {
			case <-tick.C:
			case <-stop:
				over <- seen
				return
			}
		}
	}()
	return func() uint64 { close(stop); return <-over }
}

// The memory for reading and decoding one hostile answer is bounded. The test compares the high-water
// mark of the heap, sampled every 200 microseconds, with the live memory before. The server is in the
// same process and prepares its answer before. The collector runs often (GOGC=5), so that little of the
// mark is garbage.
func TestPeakMemoryOfOneHostileAnswer(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(5))
	s := newServer(t)
	s.limit = 2 // and refuses later requests
	type cost struct {
		mib  int
		of   string // the method that needs most memory
		took time.Duration
	}
	worst := map[string]cost{}
	all := clients(t, s)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		for method, call := range all[name].calls() {
			for kind, answer := range hostile {
				if !full() && kind != "empty entries in lists" {
					continue
				}
				made := answer(1, 50)
				s.begin(0, always(made))
				most, began := watch(), time.Now()
				got := call(t.Context())
				took := time.Since(began)
				peak := int(max(most(), s.before)-s.before) >> 20
				runtime.KeepAlive(got)
				if peak > mostPeak {
					t.Errorf("%s, %s, %s: %d MiB", name, method, kind, peak)
				}
				w := worst[kind]
				if peak > w.mib {
					w.mib, w.of = peak, name+": "+method
				}
				w.took = max(w.took, took)
				worst[kind] = w
			}
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(worst)) {
		line := fmt.Sprintf("| %s | %d MiB (%s) | %.2f s |", kind, worst[kind].mib, worst[kind].of, worst[kind].took.Seconds())
		t.Log(line)
		if full() {
			fmt.Println(line)
		}
	}
}
