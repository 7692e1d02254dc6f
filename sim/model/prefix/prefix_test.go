package prefix

import "testing"

func TestCommon(t *testing.T) {
	t.Parallel()
	var c Cache
	for i, step := range []struct {
		key, text string
		want      int
	}{
		{"a", "system one", 0},
		{"a", "system two", 7},
		{"a", "system two", 10},
		{"b", "system two", 0},
		{"a", "another", 0},
	} {
		if got := c.Common(step.key, step.text); got != step.want {
			t.Errorf("text %d: %d bytes were read, want %d", i, got, step.want)
		}
	}
}

func TestMarked(t *testing.T) {
	t.Parallel()
	var c Cache
	for i, step := range []struct {
		key, text     string
		ends          []int
		read, written int
	}{
		{"a", "system code question", []int{6, 11}, 0, 11},
		{"a", "system code another", []int{6, 11}, 11, 0},
		{"a", "system text another", []int{6, 11}, 6, 5},
		{"a", "system code another", nil, 0, 0},      // no marked part
		{"b", "system code another", []int{6}, 0, 6}, // another key
		{"b", "sys", []int{3}, 0, 0},                 // too short to be cached
		{"b", "system code", []int{6, 100}, 6, 5},    // a mark beyond the end
		{"b", "system code", []int{6, 100, 100}, 11, 0},
	} {
		if read, written := c.Marked(step.key, step.text, 4, step.ends...); read != step.read || written != step.written {
			t.Errorf("text %d: %d bytes were read and %d written, want %d and %d", i, read, written, step.read, step.written)
		}
	}
}
