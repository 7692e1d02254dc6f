package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/enginetest"
	"github.com/assay-dev/assay/internal/snapshot"
	"github.com/assay-dev/assay/internal/testkit"
)

// releasing is a source whose newest release has some files.
type releasing struct {
	grepped
	version string
	files   map[string]string
	failed  error
	reads   atomic.Int64
}

func (r *releasing) Released(ctx context.Context, path string) (string, []byte, error) {
	r.reads.Add(1)
	if r.failed != nil || r.version == "" {
		return "", nil, r.failed
	}
	if content, ok := r.files[path]; ok {
		return r.version, []byte(content), ctx.Err()
	}
	return r.version, nil, fs.ErrNotExist
}

// removal reports that a change removes a function from line 3 of a file.
func removal(path, line string) candidate {
	return candidate{Path: path, Side: "LEFT", Start: 3, End: 3, Quote: line, Category: "bug", RuleKey: "contract-break", Severity: "high",
		Title: path + " has lost a function", Explanation: "Callers do not compile.", Trigger: "always", Evidence: []citation{}}
}

// manyTypes has 30 types with a method of one name.
var manyTypes = func() string {
	b := "package p\n\n"
	for i := range 30 {
		b += fmt.Sprintf("type T%d struct{}\nfunc (T%d) RoundUp() {}\n", i, i)
	}
	return b
}()

// A claim about a removed name says whether the newest release has it.
func TestTheNewestReleaseOfARemovedName(t *testing.T) {
	t.Parallel()
	base := enginetest.Tree{"price.go": "package p\n\nfunc RoundUp(n int) int {\n\treturn n + 1\n}\n\nfunc Other() {}\n"}
	head := enginetest.Tree{"price.go": "package p\n\nfunc Other() {}\n"}
	for name, tt := range map[string]struct {
		release *releasing
		want    string
	}{
		"it has the name":     {&releasing{version: "v1.4.0", files: base}, "v1.4.0 defines RoundUp at price.go:3\n"},
		"it has another name": {&releasing{version: "v1.4.0", files: head}, "v1.4.0 does not define RoundUp in price.go\n"},
		"it uses the name":    {&releasing{version: "v1.4.0", files: map[string]string{"price.go": "package p\n\nvar a = RoundUp(1)\n"}}, "v1.4.0 does not define RoundUp in price.go\n"},
		"a method":            {&releasing{version: "v1.4.0", files: map[string]string{"price.go": "package p\n\nfunc (t T) RoundUp() {}\n"}}, "v1.4.0 does not define RoundUp in price.go\n"},
		"one of many methods": {&releasing{version: "v1.4.0", files: map[string]string{"price.go": manyTypes + "func RoundUp(n int) int { return n }\n"}}, "v1.4.0 defines RoundUp at price.go:63\n"},
		"no such file":        {&releasing{version: "v1.4.0"}, "v1.4.0 does not have the file price.go\n"},
		"no release":          {&releasing{}, ""},
		"no answer":           {&releasing{failed: errors.New("PRIVATE")}, "[the newest release could not be read]\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			prompt := ""
			in := sampleChange(t)
			in.Models = models(&scripted{generate: findings(removal("price.go", "func RoundUp(n int) int {")),
				verify: func(_ int, user string) (llm.Response, error) {
					prompt += user
					return judged("unproven", "func RoundUp(n int) int {")
				}})
			in.shows(base, head, nil)
			tt.release.grepped = grepped{in.Source.(enginetest.Files), &[]snapshot.Query{}}
			in.Source = tt.release
			review(t, in, Deps{})
			want := "in the newest release:\n```\n" + tt.want + "```\n"
			if !strings.Contains(prompt, "claim") || strings.Contains(prompt, want) != (tt.want != "") || tt.want == "" && strings.Contains(prompt, "newest release") || strings.Contains(prompt, "PRIVATE") {
				t.Errorf("the verifier gets:\n%s", prompt)
			}
			testkit.Equal(t, "reads", tt.release.reads.Load(), 1)
		})
	}
}

func TestFilesOfTheNewestReleaseAreBounded(t *testing.T) {
	t.Parallel()
	base, head := enginetest.Tree{}, enginetest.Tree{}
	var found []candidate
	for i := range maxReleased + 1 {
		path := fmt.Sprintf("f%d.go", i)
		base[path], head[path] = fmt.Sprintf("package p\n\nfunc Gone%d() {}\n\nfunc Other() {}\n", i), "package p\n\nfunc Other() {}\n"
		found = append(found, removal(path, fmt.Sprintf("func Gone%d() {}", i)))
	}
	var mu sync.Mutex
	prompt := ""
	in := sampleChange(t)
	in.Models = models(&scripted{generate: findings(found...), verify: func(_ int, user string) (llm.Response, error) {
		mu.Lock()
		defer mu.Unlock()
		prompt += user
		return judged("unproven", "func Other() {}")
	}})
	in.shows(base, head, nil)
	src := &releasing{grepped: grepped{in.Source.(enginetest.Files), &[]snapshot.Query{}}, version: "v1.0.0\u202e", files: base}
	in.Source = src
	review(t, in, Deps{})
	testkit.Equal(t, "reads", src.reads.Load(), maxReleased)
	for i := range maxReleased {
		if want := fmt.Sprintf("```\nv1.0.0 defines Gone%d at f%d.go:3\n```\n", i, i); !strings.Contains(prompt, want) {
			t.Errorf("no %q in:\n%s", want, prompt)
		}
	}
	if !strings.Contains(prompt, "```\n[Gone4 was not looked up: a review reads at most 4 files of the newest release]\n") {
		t.Errorf("beyond the bound:\n%s", prompt)
	}
}
