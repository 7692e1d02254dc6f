package edits

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

var bg = context.Background()

// pushesOfOne is the number of edits in one pull request.
const pushesOfOne = 10

// TestEdits simulates pull requests of ten random edits each, on both engines.
//
// By default 40 edits from seed 1 on are made. ASSAY_EDITS_SEED is the seed of the first pull request,
// and each further one has the next number. ASSAY_EDITS_COUNT is the number of pull requests. The
// manner changes with each (make histories).
func TestEdits(t *testing.T) {
	seed, count := number(t, "ASSAY_EDITS_SEED", 1), number(t, "ASSAY_EDITS_COUNT", 4)
	t.Logf("seed %d, %d pull requests of %d edits on each storage", seed, count, pushesOfOne)
	var of tally
	t.Cleanup(func() { of.print(t) })
	for i := range count {
		m := manners[(seed+i)%len(manners)]
		t.Run(fmt.Sprintf("%d %s", seed+i, m), func(t *testing.T) {
			t.Parallel()
			e := newEditor(t, uint64(seed+i), m)
			for range pushesOfOne {
				e.push()
			}
			// They are not parallel, because each would hold its connection to PostgreSQL while it
			// waits for its turn, and 200 of them use up the connections.
			storetest.Each(t, func(t *testing.T, s *store.Store) {
				newLife(reviewtest.NewFixture(t, s), e, &of).run()
			})
		})
	}
}

func number(t *testing.T, name string, fallback int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return fallback
	}
	n, err := strconv.Atoi(text)
	testkit.OK(t, err)
	return n
}

// gitDiff returns git's diff between two trees, with the flags of the product.
func gitDiff(t *testing.T, dir string, before, after map[string]string) []byte {
	t.Helper()
	write := func(files map[string]string) string {
		testkit.Git(t, dir, "rm", "-rqf", "--ignore-unmatch", ".")
		for p, text := range files {
			at := filepath.Join(dir, filepath.FromSlash(p))
			testkit.OK(t, os.MkdirAll(filepath.Dir(at), 0o755))
			testkit.OK(t, os.WriteFile(at, []byte(text), 0o600))
		}
		testkit.Git(t, dir, "add", "-A")
		return testkit.Git(t, dir, "write-tree")
	}
	out := filepath.Join(t.TempDir(), "diff")
	testkit.Git(t, dir, "diff", "--no-ext-diff", "--no-color", "--find-renames", "-U3", "--inter-hunk-context=0", "--full-index", "--diff-algorithm=histogram",
		"--src-prefix=a/", "--dst-prefix=b/", "--output="+out, write(before), write(after), "--")
	text, err := os.ReadFile(out)
	testkit.OK(t, err)
	return text
}

// tally counts the results of pushes, by storage and manner.
type tally struct {
	mu sync.Mutex
	of map[string]map[verdict]int
}

const (
	edited verdict = "edits"
	stood  verdict = "defects"
)

func (c *tally) add(storage string, m manner, v verdict, edit bool, defects int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of == nil {
		c.of = map[string]map[verdict]int{}
	}
	key := storage + " | " + string(m)
	if c.of[key] == nil {
		c.of[key] = map[verdict]int{}
	}
	c.of[key][v]++
	c.of[key][stood] += defects
	if edit {
		c.of[key][edited]++
	}
}

func (c *tally) print(t *testing.T) {
	t.Log("| edits: storage | model | edits | defects that stood | said again | wrongly resolved | swallowed | failed runs | left open |")
	for _, storage := range []string{"sqlite", "postgres"} {
		for _, m := range manners {
			key := storage + " | " + string(m)
			n := c.of[key]
			t.Logf("| %s | %d | %d | %d | %d | %d | %d | %d |", key, n[edited], n[stood], n[again], n[resolved], n[swallowed], n[failed], n[left])
		}
	}
}
