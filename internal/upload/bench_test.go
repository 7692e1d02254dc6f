package upload_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/sarif"
)

// large is a document of 31 MiB with the texts of a real analyser: each result has its own message, place and fingerprints.
func large() []byte {
	var b strings.Builder
	b.WriteString(`{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"t","rules":[]}},"results":[`)
	for i := 0; b.Len() < 31<<20; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"ruleId":"go/sql-injection-%d","level":"warning","message":{"text":"This query depends on a user-provided value of parameter %d. `+
			`Use placeholders in the statement, because the value can change its meaning."},"locations":[{"physicalLocation":{"artifactLocation":`+
			`{"uri":"services/api/internal/handlers/group%d/handler_%d.go","uriBaseId":"%%SRCROOT%%"},"region":{"startLine":%d,"endLine":%d,`+
			`"snippet":{"text":"rows, err := db.Query(q + name)"}}}}],"partialFingerprints":{"primaryLocationLineHash":"%016x:1"}}`,
			i%40, i, i%97, i%1000, i%3000+1, i%3000+2, uint64(i)*0x9E3779B97F4A7C15)
	}
	b.WriteString(`]}]}`)
	return []byte(b.String())
}

// The document that docs/performance/hostile.md describes has 31 MiB and 62,000 results, in thousands.
func TestTheMeasuredDocument(t *testing.T) {
	t.Parallel()
	doc := large()
	if results := bytes.Count(doc, []byte(`"ruleId"`)); results/1000 != 62 || len(doc)>>20 != 31 {
		t.Errorf("%d results in %d bytes", results, len(doc))
	}
}

// BenchmarkUpload reads a document near the bound of size and searches it for secrets, as an upload does; docs/performance.md has
// its figures. The metrics are the processor time of one upload, and the largest memory of the process, with the document.
func BenchmarkUpload(b *testing.B) {
	doc, search := large(), featuretest.UploadScan()
	began := processorTime()
	for b.Loop() {
		if _, err := sarif.Read(b.Context(), bytes.NewReader(doc), sarif.Limits{}); err != nil {
			b.Fatal(err)
		}
		if _, err := sarif.Redact(b.Context(), doc, sarif.Limits{}, search); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric((processorTime()-began).Seconds()/float64(b.N), "cpu-s/op")
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return // only Linux has it
	}
	var kib float64
	if _, line, ok := strings.Cut(string(status), "VmHWM:"); ok {
		_, _ = fmt.Sscan(line, &kib)
		b.ReportMetric(kib/1024, "peak-MiB")
	}
}

// processorTime returns the processor time that the process has used.
func processorTime() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
