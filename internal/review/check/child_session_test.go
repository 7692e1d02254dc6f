package check

import (
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/sandbox"
)

var launcher *sandbox.Launcher

// A child that reads a path with one of these names ends in the way that a defect of a parser would end
// it.
const (
	dear  = "dear"  // takes all memory
	slow  = "slow"  // takes all processor time
	crash = "crash" // crashes

	// A compromised child sends results that cost the parent memory or time.
	swells  = "swells"  // a finding of millions of empty parts, in few bytes
	many    = "many"    // findings without end
	chatter = "chatter" // places where it looks, without end
)

func servesBombs(c *sandbox.Conn) error {
	say := func(w childMessage) {
		if c.Send(w) != nil {
			os.Exit(1)
		}
	}
	return serve(c, func(path string) {
		switch {
		case strings.Contains(path, swells):
			say(childMessage{Finding: &domain.Finding{Evidence: make([]domain.Evidence, 8<<20)}})
		case strings.Contains(path, many):
			for {
				say(childMessage{Finding: &domain.Finding{}})
			}
		case strings.Contains(path, chatter):
			for {
				say(childMessage{Looking: 1})
			}
		case strings.Contains(path, dear):
			var kept [][]byte
			for {
				b := make([]byte, 16<<20)
				for i := 0; i < len(b); i += 4096 {
					b[i] = 1
				}
				kept = append(kept, b)
			}
		case strings.Contains(path, slow):
			for n := uint64(1); ; n = n*6364136223846793005 + 1 {
				runtime.KeepAlive(n)
			}
		case strings.Contains(path, crash):
			var none *diff.File
			_ = none.Path
		}
	})
}

func TestMain(m *testing.M) {
	launcher = sandbox.Enter(map[string]sandbox.Work{ChildWork: servesBombs})
	os.Exit(m.Run())
}

func confined(t testing.TB) *Confined {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("limits are in force on Linux only")
	}
	l := limits
	l.Memory, l.Wall = 300<<20, 5*time.Minute
	return &Confined{Launcher: launcher, Limits: &l}
}

// setOf is a change that adds a file of Go for each path.
func setOf(t testing.TB, paths ...string) (*diff.Set, files) {
	t.Helper()
	var patches []diff.Patch
	src := files{}
	for _, p := range paths {
		text := "package x\n\nvar k = \"" + awsKey() + "\"\n"
		patches = append(patches, diff.Patch{Path: p, Status: diff.Added, Text: "@@ -0,0 +1,3 @@\n+" + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n+") + "\n"})
		src["RIGHT:"+p] = text
	}
	set, err := diff.FromPatches(patches)
	if err != nil {
		t.Fatal(err)
	}
	return set, src
}

var everything = Options{DigestKeys: [][]byte{[]byte("key")}, Secrets: true, Static: true}

// A child matches the rules of people as this process does, and names those that it did not match.
func TestAChildMatchesRules(t *testing.T) {
	t.Parallel()
	set := change(t, "a.go", "", "package p\nvar a = f(1)\n")
	src := files{"RIGHT:a.go": "package p\nvar a = f(1)\n"}
	opt := Options{Rules: []Rule{byCode(`f($A)`), {ID: "rul_2", Matcher: byRegex("(").Matcher}}}
	got, err := confined(t).Run(t.Context(), set, src, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Close()
	if found(got) != "2" || got.Unmatched["rul_2"] != UnmatchedPattern {
		t.Errorf("lines %s, unmatched %v", found(got), got.Unmatched)
	}
}

// A child finds what this process would find, and redacts what it would redact.
func TestAChildFindsWhatThisProcessFinds(t *testing.T) {
	t.Parallel()
	set, src := setOf(t, "a.go", "b\xff.go", "c d.go")
	broken := change(t, "broken.go", "", "package x\n\nfunc { //nolint\n")
	set.Files = append(set.Files, broken.Files...)
	src["RIGHT:broken.go"] = "package x\n\nfunc { //nolint\n"
	want, err := checker(t).Run(t.Context(), set, src, everything)
	if err != nil {
		t.Fatal(err)
	}
	got, err := confined(t).Run(t.Context(), set, src, everything)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Close()
	if len(want.Findings) != 4 || !reflect.DeepEqual(want.Findings, got.Findings) || len(got.Unchecked) != 0 {
		t.Errorf("%+v\nis not\n%+v, unchecked %v", got.Findings, want.Findings, got.Unchecked)
	}
	if len(want.Switches) != 1 || !reflect.DeepEqual(want.Switches, got.Switches) {
		t.Errorf("%v is not %v", got.Switches, want.Switches)
	}
	if s := got.Redactor.Text("x" + awsKey()); strings.Contains(s, awsKey()) {
		t.Error("a secret of the change is not replaced")
	}
	clean, err := got.Redactor.Clean(t.Context(), "other.txt", []byte("t = '"+ghToken()+"'\n"))
	if err != nil || strings.Contains(string(clean), ghToken()) {
		t.Errorf("a secret of a file is not replaced: %v", err)
	}
	got.Close()
	if _, err := got.Redactor.Clean(t.Context(), "other.txt", []byte("t")); !errors.Is(err, ErrUnchecked) {
		t.Errorf("without a child: %v", err)
	}
	if s := got.Redactor.Text(ghToken()); strings.Contains(s, ghToken()) {
		t.Error("learned values are forgotten")
	}
}

// If a child leaves something out because there is too much, the parent reports it as it does without a
// child.
func TestAChildSaysWhatItLeavesOut(t *testing.T) {
	t.Parallel()
	var paths []string
	for i := range MaxFindings + 3 {
		paths = append(paths, fmt.Sprintf("k%d.go", i))
	}
	set, src := setOf(t, paths...)
	deep := ".github/workflows/deep.yml"
	text := "on: push\njobs: " + strings.Repeat("[", 200) + "\n"
	set.Files = append(set.Files, change(t, deep, "", text).Files...)
	src["RIGHT:"+deep] = text
	want, err := checker(t).Run(t.Context(), set, src, everything)
	if err != nil {
		t.Fatal(err)
	}
	got, err := confined(t).Run(t.Context(), set, src, everything)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Close()
	if got.Cut != 3 || len(got.Unread) != 4 || got.Unread[deep] != WhyWorkflow {
		t.Errorf("%d findings are left out, of files %v", got.Cut, got.Unread)
	}
	if got.Cut != want.Cut || !reflect.DeepEqual(got.Unread, want.Unread) || len(got.Withheld) != len(want.Withheld) {
		t.Errorf("the child says %d, %v, %v; this process %d, %v, %v", got.Cut, got.Unread, got.Withheld, want.Cut, want.Unread, want.Withheld)
	}
}

// A file that ends the child is left out and named; the others are checked by a
// new child, once.
func TestAFileThatEndsTheChildIsLeftOut(t *testing.T) {
	for _, tt := range []struct {
		name            string
		paths           []string
		unchecked, good []string
	}{
		{"memory", []string{"a.go", dear + ".go", "b.go"}, []string{dear + ".go"}, []string{"a.go", "b.go"}},
		{"crash", []string{crash + ".go", "b.go"}, []string{crash + ".go"}, []string{"b.go"}},
		{"time", []string{"a.go", slow + ".go"}, []string{slow + ".go"}, []string{"a.go"}},
		{"a huge finding", []string{"a.go", swells + ".go", "b.go"}, []string{swells + ".go"}, []string{"a.go", "b.go"}},
		{"findings without end", []string{"a.go", many + ".go", "b.go"}, []string{many + ".go"}, []string{"a.go", "b.go"}},
		{"words without end", []string{chatter + ".go", "b.go"}, []string{chatter + ".go"}, []string{"b.go"}},
		{"a second one ends all", []string{crash + "1.go", "a.go", crash + "2.go"}, []string{"a.go", crash + "1.go", crash + "2.go"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			set, src := setOf(t, tt.paths...)
			c := confined(t)
			if tt.name == "time" {
				c.Limits.CPU = time.Second
			}
			res, err := c.Run(t.Context(), set, src, everything)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Close()
			slices.Sort(res.Unchecked)
			if !slices.Equal(res.Unchecked, tt.unchecked) {
				t.Errorf("unchecked are %q", res.Unchecked)
			}
			var good []string
			for _, f := range res.Findings {
				good = append(good, f.Anchor.Path)
			}
			if !slices.Equal(good, tt.good) {
				t.Errorf("found in %q", good)
			}
		})
	}
}

// A file that ends the child later, when it is searched for secrets, is not shown;
// the next one is searched by a new child.
func TestATextThatEndsTheChildIsNotShown(t *testing.T) {
	t.Parallel()
	set, src := setOf(t, "a.go")
	res, err := confined(t).Run(t.Context(), set, src, everything)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Close()
	for i, path := range []string{crash, "b", crash, "b"} {
		_, err := res.Redactor.Clean(t.Context(), path, []byte("x"))
		if unchecked := errors.Is(err, ErrUnchecked); unchecked != (path == crash || i == 3) || err != nil && !unchecked {
			t.Errorf("%d %s: %v", i, path, err)
		}
	}
}

func TestErrorsOfTheSourceAndTheContextAreTheirOwn(t *testing.T) {
	t.Parallel()
	set, _ := setOf(t, "a.go")
	broken := errors.New("the host is down")
	if _, err := confined(t).Run(t.Context(), set, failing{broken}, everything); !errors.Is(err, broken) {
		t.Errorf("the error is %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := confined(t).Run(ctx, set, nil, everything); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
}

type failing struct{ err error }

func (f failing) Blob(context.Context, domain.Side, string) ([]byte, error) { return nil, f.err }

// A workflow whose nesting takes all memory of a parser costs this process little more than the file,
// because the child parses it.
func TestAWorkflowOfDeepNestingCostsThisProcessNothing(t *testing.T) {
	const path = ".github/workflows/x.yml"
	text := "jobs: " + strings.Repeat("[", 30_000) + "\n"
	set := change(t, path, "", text)
	c := confined(t)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	res, err := c.Run(t.Context(), set, files{"RIGHT:" + path: text}, everything)
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Close()
	if took := after.TotalAlloc - before.TotalAlloc; took > 16<<20 {
		t.Errorf("this process allocated %d MiB", took>>20)
	}
}

func BenchmarkChecks(b *testing.B) {
	var paths []string
	for i := range 20 {
		paths = append(paths, fmt.Sprintf("f%d.go", i))
	}
	set, src := setOf(b, paths...)
	local := checker(b)
	child := confined(b)
	child.Limits = nil
	for name, c := range map[string]interface {
		Run(context.Context, *diff.Set, Source, Options) (Result, error)
	}{"in this process": local, "in a child": child} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				res, err := c.Run(b.Context(), set, src, everything)
				if err != nil {
					b.Fatal(err)
				}
				res.Close()
			}
		})
	}
}
