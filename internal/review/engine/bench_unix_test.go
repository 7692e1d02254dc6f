//go:build unix

package engine

import (
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/testkit"
)

// BenchmarkReview reviews changes with a model that answers immediately, so it measures our own work.
// cpu-ms/op is the time of the whole process, B/op the sum of allocations, rss-MB the peak memory of
// the process (if the system reports it), tokens/op the estimated tokens of the prompts.
func BenchmarkReview(b *testing.B) {
	for _, size := range []struct {
		name         string
		files, lines int // lines of each
	}{{"lines=100", 2, 50}, {"lines=500", 10, 50}, {"lines=1000", 20, 50}, {"lines=10000", 100, 100}, {"files=3000", 3000, 10}} {
		b.Run(size.name, func(b *testing.B) {
			in := sampleChange(b)
			in.Diff, in.Source = largeChange(size.files, size.lines)
			m := &scripted{verify: confirmAll, generate: func(_ int, user string) (llm.Response, error) {
				var mine []candidate
				for _, line := range strings.Split(user, "\n") {
					if path, ok := strings.CutPrefix(line, "=== "); ok && len(mine) < minFindings {
						mine = append(mine, dividedIn(path))
					}
				}
				return findings(mine...)(0, "")
			}}
			in.Models = models(m)
			e := New(Deps{Checks: newChecker(b)})
			b.ReportAllocs()
			calls, tokens := 0, 0
			testkit.FreshMemory()
			before := cpu(b)
			for b.Loop() {
				res, err := e.Review(b.Context(), in)
				if err != nil || res.Stats.Verified == 0 {
					b.Fatalf("%+v, %v", res.Stats, err)
				}
				m.mu.Lock()
				for _, r := range m.requests {
					calls++
					tokens += llm.EstimateTokens(len(r.System) + len(r.Messages[0].Text))
				}
				m.requests = nil
				m.mu.Unlock()
			}
			b.ReportMetric(float64((cpu(b)-before).Microseconds())/1000/float64(b.N), "cpu-ms/op")
			b.ReportMetric(float64(calls)/float64(b.N), "calls/op")
			b.ReportMetric(float64(tokens)/float64(b.N), "tokens/op")
			b.ReportMetric(rss(b), "rss-MB")
		})
	}
}

// rss is the most memory that the process had so far, in MB.
func rss(b *testing.B) float64 {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	if runtime.GOOS == "darwin" { // bytes there, KiB elsewhere (getrusage(2))
		return float64(u.Maxrss) / (1 << 20)
	}
	return float64(u.Maxrss) / (1 << 10)
}

func cpu(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
