package outbound

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

func TestList(t *testing.T) {
	t.Parallel()
	odd := func(n int) (int, bool) { return n, n%2 == 1 }
	all := func(n int) (int, bool) { return n, true }
	three := func(_ context.Context, n int) ([]int, bool, error) { return []int{3*n - 2, 3*n - 1, 3 * n}, n < 3, nil }
	for name, c := range map[string]struct {
		most  int
		keep  func(int) (int, bool)
		kept  int
		whole bool
	}{
		"all":                  {10, all, 9, true},
		"exactly all":          {9, all, 9, true},
		"fewer":                {8, all, 8, false},
		"the end of a page":    {6, all, 6, false},
		"no entry":             {0, all, 0, false},
		"some":                 {10, odd, 5, true},
		"those left out count": {8, odd, 4, false},
	} {
		got, whole, err := List(t.Context(), c.most, three, c.keep)
		if err != nil || len(got) != c.kept || whole != c.whole {
			t.Errorf("%s: %d, %v, %v", name, len(got), whole, err)
		}
	}
}

func TestListsThatDoNotEnd(t *testing.T) {
	t.Parallel()
	for name, entries := range map[string][]string{"empty pages": {}, "pages": {"a"}} {
		asked := 0
		list, whole, err := List(t.Context(), 1_000_000, func(context.Context, int) ([]string, bool, error) { asked++; return entries, true, nil },
			func(s string) (string, bool) { return s, true })
		if list != nil || whole || !errors.Is(err, ErrTooLarge) || asked > maxPages {
			t.Errorf("%s: %d asked, %v", name, asked, err)
		}
	}
	big := strings.Repeat("a", 1<<20)
	list, whole, err := List(t.Context(), 1_000_000, func(context.Context, int) ([]string, bool, error) { return []string{big, big}, true, nil },
		func(s string) (string, bool) { return s, true })
	if err != nil || whole || len(list) != MaxList>>20-1 {
		t.Errorf("%d of 1 MiB each are kept, %v, %v", len(list), whole, err)
	}
}

func TestSizeOf(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("a", 1000)
	type inner struct {
		Name string
		Next *inner
	}
	for name, v := range map[string]any{
		"text": text, "pointer": &text, "slice": []string{text}, "map": map[string]string{text: ""}, "struct": inner{Name: text},
		"deep": &inner{Next: &inner{Name: text}}, "any": map[string]any{"a": []any{text}}, "bytes": []byte(text), "hidden": struct{ s string }{text},
	} {
		if n := sizeOf(v); n < 1000 || n > 1200 {
			t.Errorf("%s: %d", name, n)
		}
	}
	if n := sizeOf(struct{ A, B time.Time }{time.Now(), time.Now()}); n > 100 {
		t.Errorf("two times: %d", n)
	}
	if sizeOf((*inner)(nil)) > 8 || sizeOf(any(nil)) != 0 {
		t.Error("nil takes memory")
	}
}
