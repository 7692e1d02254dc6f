package codehost

import (
	"strings"
	"testing"
	"time"
)

func TestThreadsAreBounded(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 1<<20)
	got, fits := Thread{Path: "a.go", Author: "ann", Body: long}.Bounded()
	if !fits || len(got.Body) != maxThreadBody {
		t.Errorf("%d bytes of a long comment, %v", len(got.Body), fits)
	}
	for _, beyond := range []Thread{{Path: long}, {Author: long}} {
		if _, fits := beyond.Bounded(); fits {
			t.Error("a name without a bound is kept")
		}
	}
	m := MergedPicker{Most: 2}
	for n := range 5 {
		m.Add(PullRequest{Number: n + 1, Merged: true, MergedAt: time.Unix(int64(n)*60, 0), UpdatedAt: time.Unix(int64(9)*60, 0), Body: long})
	}
	if len(m.list) != 2 || m.list[0].Body != "" {
		t.Errorf("%d merged pull requests are kept, with %d bytes of text", len(m.list), len(m.list[0].Body))
	}
}
