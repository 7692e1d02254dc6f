//go:build unix

package engine

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/llm"
)

// BenchmarkReview reviews a change of 500 lines in ten files with a model that
// answers at once: what is left is our own work. cpu-ms/op is that of the whole
// process, B/op what was allocated in all, not at once.
func BenchmarkReview(b *testing.B) {
	var diff strings.Builder
	source := files{}
	var found []candidate
	for i := range 10 {
		path := fmt.Sprintf("shop/part%d.go", i)
		var code strings.Builder
		code.WriteString("package shop\n\n")
		for n := range 7 {
			fmt.Fprintf(&code, "// Share%[1]d divides a sum.\nfunc Share%[1]d(sum, n int) int {\n\tif sum < 0 {\n\t\treturn 0\n\t}\n\treturn sum / n // of part %[2]d\n}\n", 10*i+n, i)
		}
		after := code.String()
		diff.WriteString(unified(path, "package shop\n\n", after))
		source["LEFT:"+path], source["RIGHT:"+path] = "package shop\n\n", after
		c := division()
		c.Path, c.Start, c.End, c.Fix = path, 8, 8, nil
		c.Quote = fmt.Sprintf("\treturn sum / n // of part %d", i)
		found = append(found, c)
	}
	in := change(b)
	in.Diff, in.Source = []byte(diff.String()), source
	m := &scripted{verify: confirmAll, generate: func(_ int, user string) (llm.Response, error) {
		var mine []candidate
		for _, c := range found {
			if strings.Contains(user, "=== "+c.Path+"\n") && len(mine) < maxPerChunk {
				mine = append(mine, c)
			}
		}
		return findings(mine...)(0, "")
	}}
	in.Models = models(m)
	e := New(Deps{Checks: newChecker(b)})
	b.ReportAllocs()
	before := cpu(b)
	for b.Loop() {
		res, err := e.Review(b.Context(), in)
		if err != nil || res.Stats.Verified == 0 || res.ModelState != ModelComplete {
			b.Fatalf("%+v, %v", res.Stats, err)
		}
		m.mu.Lock()
		m.requests = nil
		m.mu.Unlock()
	}
	b.ReportMetric(float64((cpu(b)-before).Microseconds())/1000/float64(b.N), "cpu-ms/op")
}

func cpu(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
