package notify

import (
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
)

// Channels and browsers offer the same kinds of events. Each has its texts and its row
// of the page.
func TestKindsThatCanBeChosen(t *testing.T) {
	t.Parallel()
	all := domain.EventKinds()
	for _, k := range all {
		if _, known := wording(k); !known {
			t.Errorf("%s has no texts", k)
		}
	}
	for in, name := range map[reflect.Type]string{reflect.TypeFor[NotificationChannelCreate](): "Events", reflect.TypeFor[NotificationChannelUpdate](): "Events",
		reflect.TypeFor[PushSubscriptionUpdate](): "Topics"} {
		f, ok := in.FieldByName(name)
		if !ok || f.Tag.Get("enum") != strings.Join(all, ",") || f.Tag.Get("doc") != "Kinds of events" {
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
		if !strings.Contains(string(page), "| `"+k+"` |") {
			t.Errorf("the page has no row for %s", k)
		}
	}
}
