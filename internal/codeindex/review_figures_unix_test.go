//go:build unix

package codeindex_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/check"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/snapshot"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// hears is a model that keeps the prompts and finds nothing.
type hears struct {
	mu      sync.Mutex
	prompts []string
}

func (h *hears) Complete(_ context.Context, r llm.Request) (llm.Response, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.prompts = append(h.prompts, r.Messages[0].Text)
	return llm.Response{Text: `{"findings":[]}`, StopReason: llm.StopEnd}, nil
}

func (h *hears) ListModels(context.Context) ([]llm.ModelInfo, error) { return nil, nil }

// TestReviewFigures reviews a change of 500 lines in a repository of ASSAY_INDEX_FILES files (20,000 are 130 MB), with a model
// that answers immediately: without a search (file), with one that reads all files for their words (no index), and with one that
// asks the index (docs/performance/reviews.md). It judges no time. Processor times include git.
func TestReviewFigures(t *testing.T) {
	files, err := strconv.Atoi(os.Getenv("ASSAY_INDEX_FILES"))
	if err != nil {
		t.Skip("ASSAY_INDEX_FILES is not set")
	}
	scanner, err := check.NewScanner()
	testkit.OK(t, err)
	h := &host{t: t, dir: t.TempDir(), cache: &snapshot.Cache{Dir: t.TempDir()}}
	base, head := largeRepository(t, filepath.Join(h.dir, "large.git"), files)
	server := httptest.NewServer(testkit.GitServer(t, h.dir))
	defer server.Close()
	h.url = server.URL + "/large.git"
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s, h)
		d.Turn = time.Hour // one turn builds all
		d.enqueue()
		d.work(1)
		for _, c := range []struct {
			name  string
			level engine.ContextLevel
			index bool
		}{{"file", engine.ContextFile, false}, {"no index", engine.ContextRepository, false}, {"index", engine.ContextRepository, true}} {
			for range 3 {
				r, err := h.cache.Fetch(bg, snapshot.Remote{URL: h.url, AllowHTTP: true}, "k", base, head)
				testkit.OK(t, err)
				testkit.FreshMemory()
				before, start := used(t), time.Now()
				if c.index {
					v, err := d.View(bg, d.world.Tenant, d.repository().ID)
					testkit.OK(t, err)
					r.UseIndex(v)
				}
				model := &hears{}
				route := ask.Route{Client: model, Model: "m"}
				raw, err := r.Diff(bg, base, head)
				testkit.OK(t, err)
				_, err = engine.New(engine.Deps{Checks: &check.Checker{Scanner: scanner}}).Review(bg, engine.Input{Repository: "large",
					MergeBase: base, HeadSHA: head, Diff: raw, Source: r.Source(base, head), Policy: domain.DefaultPolicy(), Full: true, Context: c.level,
					Models: &ask.Models{Standard: route, Strong: route, Fast: route}})
				testkit.OK(t, err)
				called := fmt.Sprintf("/f%d.go Handle", (997*7+1)%files) // in a file that does not change
				if found := strings.Contains(strings.Join(model.prompts, ""), called); found != (c.level == engine.ContextRepository) {
					t.Fatal("the definitions are not as they should be")
				}
				testkit.OK(t, r.Close())
				after := used(t)
				t.Logf("%s: %v, processor %v, resident at most %.0f MB", c.name, time.Since(start).Round(10*time.Millisecond),
					(after.cpu - before.cpu).Round(10*time.Millisecond), after.rss)
			}
		}
	})
}

// largeRepository makes a bare repository of Go files of 6.5 KB, 20 to a package, that
// use each other, and a commit on top that changes 500 lines of ten of them.
func largeRepository(t *testing.T, dir string, files int) (base, head string) {
	t.Helper()
	testkit.Git(t, filepath.Dir(dir), "init", "--quiet", "--bare", "--initial-branch=main", dir)
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
	testkit.GitFed(t, dir, feed.String(), "fast-import", "--quiet")
	return testkit.Git(t, dir, "rev-parse", "main~1"), testkit.Git(t, dir, "rev-parse", "main")
}

// usage is the time and memory that this process and its ended children have used.
type usage struct {
	cpu time.Duration
	rss float64 // MB, of this process alone
}

func used(t *testing.T) usage {
	t.Helper()
	var out usage
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		testkit.OK(t, syscall.Getrusage(who, &u))
		out.cpu += time.Duration(u.Utime.Nano() + u.Stime.Nano())
		if who == syscall.RUSAGE_SELF {
			out.rss = float64(u.Maxrss) / (1 << 10)
		}
	}
	return out
}
