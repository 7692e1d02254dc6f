package tracking_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/assay-dev/assay/internal/tracking"
)

func TestRepositoriesAreAllOrNamed(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]tracking.Repositories{
		`"all"`:            {All: true},
		` "all" `:          {All: true},
		`[]`:               {Names: []string{}},
		` ["a","b/c"]`:     {Names: []string{"a", "b/c"}},
		"[\n\"a\"\n]":      {Names: []string{"a"}},
		`["\u0061ll","x"]`: {Names: []string{"all", "x"}},
	} {
		got := tracking.Repositories{All: true, Names: []string{"before"}} // a decoder may reuse an existing value
		if err := json.Unmarshal([]byte(body), &got); err != nil || got.All != want.All || !slices.Equal(got.Names, want.Names) {
			t.Errorf("%s: %+v, %v", body, got, err)
		}
	}
	for _, body := range []string{`"ALL"`, `"none"`, `""`, `true`, `0`, `{}`, `{"all":true}`, `[1]`, `["a",{}]`, `[["a"]]`, `"all`, `["a"`, `null`, ``} {
		var got tracking.Repositories
		if err := json.Unmarshal([]byte(body), &got); err == nil {
			t.Errorf("%s was taken as %+v", body, got)
		}
	}
}

func FuzzRepositories(f *testing.F) {
	for _, seed := range []string{`"all"`, `[]`, `["a","b"]`, ` ["a"] `, `null`, `[null]`, `"\u0061ll"`, `{`, ``, `[`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var got tracking.Repositories
		if got.UnmarshalJSON(data) != nil {
			return
		}
		if got.All && len(got.Names) > 0 {
			t.Fatalf("%q is both: %+v", data, got)
		}
		written, err := json.Marshal(got)
		if err != nil {
			t.Fatalf("%q cannot be written: %v", data, err)
		}
		var again tracking.Repositories
		if err := json.Unmarshal(written, &again); err != nil || again.All != got.All || !slices.Equal(again.Names, got.Names) {
			t.Errorf("%q becomes %+v, and then %+v, %v", data, got, again, err)
		}
	})
}
