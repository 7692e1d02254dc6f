package notify

import (
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
)

// Channels and browsers offer the same kinds of events. The description says which kinds are never made, and
// every kind that is made has its texts.
func TestKindsThatCanBeChosen(t *testing.T) {
	t.Parallel()
	var all, later []string
	for _, k := range domain.EventKinds() {
		all = append(all, k.Name)
		if !k.Made {
			later = append(later, k.Name)
		}
		if _, known := wording(k.Name); known != k.Made {
			t.Errorf("%s: it has texts: %v, it is made: %v", k.Name, known, k.Made)
		}
	}
	marked := "Kinds of events. Nothing in this version makes these yet: " + strings.Join(later, ", ")
	for in, name := range map[reflect.Type]string{reflect.TypeFor[NotificationChannelCreate](): "Events", reflect.TypeFor[NotificationChannelUpdate](): "Events",
		reflect.TypeFor[PushSubscriptionUpdate](): "Topics"} {
		f, ok := in.FieldByName(name)
		if !ok || f.Tag.Get("enum") != strings.Join(all, ",") || f.Tag.Get("doc") != marked {
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
	for _, k := range domain.EventKinds() {
		if row := strings.Contains(string(page), "| `"+k.Name+"` |"); row != k.Made || !strings.Contains(string(page), "`"+k.Name+"`") {
			t.Errorf("the page has a row for %s: %v", k.Name, row)
		}
	}
}
