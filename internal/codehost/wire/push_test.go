package wire

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
)

func TestFillPush(t *testing.T) {
	t.Parallel()
	of := func(refs ...string) (list []RefUpdate) {
		for _, r := range refs {
			list = append(list, RefUpdate{r, strings.Repeat("1", 40)})
		}
		return list
	}
	var most []RefUpdate
	for i := range maxPushed {
		most = append(most, of(fmt.Sprint("refs/heads/", i))...)
	}
	for name, tc := range map[string]struct {
		updates []RefUpdate
		kind    codehost.EventKind
		want    []string
	}{
		"a branch":            {of("refs/heads/release/1"), codehost.KindPush, []string{"release/1"}},
		"with tags":           {of("refs/tags/v1", "refs/heads/main", "refs/notes/x"), codehost.KindPush, []string{"main"}},
		"tags alone":          {of("refs/tags/v1"), codehost.KindIgnored, nil},
		"a short name":        {of("main"), codehost.KindIgnored, nil},
		"a deletion":          {[]RefUpdate{{"refs/heads/main", strings.Repeat("0", 64)}}, codehost.KindIgnored, nil},
		"one without a place": {append(of("refs/heads/main"), RefUpdate{}), codehost.KindPush, []string{"main"}},
		"more than are kept":  {append(slices.Clone(most), of("refs/heads/last")...), codehost.KindPush, nil},
	} {
		ev := codehost.Event{Kind: codehost.KindPush}
		if err := FillPush(&ev, tc.updates); err != nil || ev.Kind != tc.kind || !slices.Equal(ev.Branches, tc.want) {
			t.Errorf("%s: %s %q, %v", name, ev.Kind, ev.Branches, err)
		}
	}
	ev := codehost.Event{Kind: codehost.KindPush}
	if err := FillPush(&ev, most); err != nil || len(ev.Branches) != maxPushed {
		t.Errorf("the most: %d, %v", len(ev.Branches), err)
	}
	if err := FillPush(&ev, nil); err == nil {
		t.Error("a push of nothing is read")
	}
}
