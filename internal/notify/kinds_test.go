package notify

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// kinds returns the kinds of events of package domain.
func kinds(t *testing.T) (out []string) {
	t.Helper()
	source, err := os.ReadFile("../domain/event.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`Event\w+ += "([^"]+)"`).FindAllSubmatch(source, -1) {
		out = append(out, string(m[1]))
	}
	return out
}

// sameKinds reports whether a list in a tag has the same kinds, in any order.
func sameKinds(enum string, all []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(strings.Split(enum, ","))), slices.Sorted(slices.Values(all)))
}

// Channels and browsers offer the same kinds of events. Each kind has its texts,
// and the page has its row.
func TestKindsThatCanBeChosen(t *testing.T) {
	t.Parallel()
	all := kinds(t)
	for _, k := range all {
		if _, known := wording(k); !known {
			t.Errorf("%s has no texts", k)
		}
	}
	for in, name := range map[reflect.Type]string{reflect.TypeFor[NotificationChannelCreate](): "Events", reflect.TypeFor[NotificationChannelUpdate](): "Events",
		reflect.TypeFor[PushSubscriptionUpdate](): "Topics"} {
		f, ok := in.FieldByName(name)
		if !ok || !sameKinds(f.Tag.Get("enum"), all) || f.Tag.Get("doc") != "Kinds of events" {
			t.Errorf("%s.%s: enum %q, doc %q", in.Name(), name, f.Tag.Get("enum"), f.Tag.Get("doc"))
		}
	}
	for _, k := range defaultTopics() {
		if !slices.Contains(all, k) {
			t.Errorf("the default topic %s cannot be chosen", k)
		}
	}
	page, err := os.ReadFile("../../docs/notifications.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range all {
		if !strings.Contains(string(page), "| `"+k+"` |") {
			t.Errorf("the page has no row for %s", k)
		}
	}
}
