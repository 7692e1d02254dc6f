//go:build unix

package local

import (
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/snapshot"
	"github.com/assay-dev/assay/internal/testkit"
)

// BenchmarkContext reviews a change of 500 lines in a repository of 20,000 files (130 MB), with a model
// that answers immediately: without a search (file), with one that first makes the table of words
// (cold), and with one that has it (warm). cpu-ms/op includes git. rss-MB is the peak memory of this
// process, if the system reports it.
func BenchmarkContext(b *testing.B) {
	dir := b.TempDir()
	base, head := largeRepository(b, filepath.Join(dir, "large.git"), 20_000)
	server := httptest.NewServer(testkit.GitServer(b, dir))
	defer server.Close()
	cache := &snapshot.Cache{Dir: b.TempDir()}
	open := func() *snapshot.Repo {
		r, err := cache.Fetch(b.Context(), snapshot.Remote{URL: server.URL + "/large.git", AllowHTTP: true}, "k", base, head)
		testkit.OK(b, err)
		return r
	}
	testkit.OK(b, open().Close())
	for _, c := range []struct {
		name  string
		level engine.ContextLevel
	}{{"file", engine.ContextFile}, {"cold", engine.ContextRepository}, {"warm", engine.ContextRepository}} {
		b.Run(c.name, func(b *testing.B) {
			testkit.FreshMemory()
			before := used(b)
			for b.Loop() {
				if c.name == "cold" {
					tables, _ := filepath.Glob(filepath.Join(cache.Dir, "*", "assay-words"))
					for _, t := range tables {
						testkit.OK(b, os.Remove(t))
					}
				}
				r := open()
				model := &hears{}
				route := ask.Route{Client: model, Model: "m"}
				raw, err := r.Diff(b.Context(), base, head)
				testkit.OK(b, err)
				_, err = engine.New(engine.Deps{Checks: checker}).Review(b.Context(), engine.Input{Repository: "large", MergeBase: base, HeadSHA: head, Diff: raw,
					Source: r.Source(base, head), Policy: domain.DefaultPolicy(), Full: true, Context: c.level, Models: &ask.Models{Standard: route, Strong: route, Fast: route}})
				testkit.OK(b, err)
				if found := strings.Contains(strings.Join(model.prompts, ""), "used here;"); found != (c.level == engine.ContextRepository) {
					b.Fatal("the uses are not as they should be")
				}
				testkit.OK(b, r.Close())
			}
			after := used(b)
			b.ReportMetric(float64((after.cpu-before.cpu).Milliseconds())/float64(b.N), "cpu-ms/op")
			b.ReportMetric(after.rss, "rss-MB")
			tables, _ := filepath.Glob(filepath.Join(cache.Dir, "*", "assay-words"))
			for _, t := range tables {
				info, err := os.Stat(t)
				testkit.OK(b, err)
				b.ReportMetric(float64(info.Size())/(1<<20), "table-MB")
			}
		})
	}
}

// largeRepository makes a bare repository of Go files of 6.5 KB, 20 to a package, that
// use each other, and a commit on top that changes 500 lines of ten of them.
func largeRepository(b *testing.B, dir string, files int) (base, head string) {
	b.Helper()
	testkit.Git(b, filepath.Dir(dir), "init", "--quiet", "--bare", "--initial-branch=main", dir)
	var feed strings.Builder
	blob := func(i int, edit string) {
		var code strings.Builder
		fmt.Fprintf(&code, "package p%d\n\nimport \"example.com/large/p%d\"\n\n", i/20, (i*7+1)%files/20)
		for k := range 8 {
			fmt.Fprintf(&code, "// Handle%[1]dx%[2]d does part %[2]d of the work.\nfunc Handle%[1]dx%[2]d(a int, b string%[3]s) (int, error) {\n", i, k, edit)
			for l := range 12 {
				other := (i*7 + 1) % files
				fmt.Fprintf(&code, "\tif a > %d {\n\t\ta += p%d.Handle%dx%d(a, b)\n\t}\n", l*k+i, other/20, other, (k+l)%8)
			}
			code.WriteString("\treturn a, nil\n}\n\n")
		}
		text := code.String()
		if edit != "" {
			text = strings.ReplaceAll(text, "\t\ta += ", "\t\ta = a + ")
		}
		fmt.Fprintf(&feed, "M 100644 inline d%d/p%d/f%d.go\ndata %d\n%s\n", i/400, i/20, i, len(text), text)
	}
	feed.WriteString("commit refs/heads/main\ncommitter n <n@example.org> 1700000000 +0000\ndata 4\nbase\n")
	for i := range files {
		blob(i, "")
	}
	feed.WriteString("\ncommit refs/heads/main\ncommitter n <n@example.org> 1700000001 +0000\ndata 4\nhead\n")
	for i := range 5 {
		blob(i*997, ", c bool")
	}
	testkit.GitFed(b, dir, feed.String(), "fast-import", "--quiet")
	return testkit.Git(b, dir, "rev-parse", "main~1"), testkit.Git(b, dir, "rev-parse", "main")
}

// usage is the time and memory that this process and its ended children have used.
type usage struct {
	cpu time.Duration
	rss float64 // MB, of this process alone
}

func used(b *testing.B) usage {
	b.Helper()
	var out usage
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		testkit.OK(b, syscall.Getrusage(who, &u))
		out.cpu += time.Duration(u.Utime.Nano() + u.Stime.Nano())
		if who == syscall.RUSAGE_SELF {
			out.rss = float64(u.Maxrss) / (1 << 10)
		}
	}
	return out
}
