package notify

import (
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
)

// A message shows the end of the decision period in the tenant's time zone.
func TestMessagesHaveTheTimesOfTheTenant(t *testing.T) {
	t.Parallel()
	zone, err := time.LoadLocation("Asia/Tokyo")
	if err != nil {
		t.Fatal(err)
	}
	event := domain.ApprovalRequested{ExpiresAt: time.Date(2026, 11, 23, 20, 30, 0, 0, time.UTC)}
	for want, at := range map[string]*time.Location{"2026-11-24 05:30 JST": zone, "2026-11-23 20:30 UTC": nil} {
		if got := requested(event, eventContext{Zone: at}).text; !strings.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
}
