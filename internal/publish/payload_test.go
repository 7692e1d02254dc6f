package publish_test

import (
	"encoding/json"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/publish"
	"github.com/assay-dev/assay/internal/testkit"
)

// frozenBefore is a payload as v0.1.0 froze it, with numeric ids only.
const frozenBefore = `{"commit":"c","body":"b","comments":[],"summaryBody":"","posted":["fnd_1"],"resolved":[],"returned":[{"findingId":"fnd_1","comment":9007199254740993}]}`

// This version publishes payloads that v0.1.0 froze. A worker of v0.1.0 that runs during the upgrade reads
// payloads that this version freezes.
func TestPayloadBesideAnOlderWorker(t *testing.T) {
	t.Parallel()
	var p publish.Payload
	testkit.OK(t, json.Unmarshal([]byte(frozenBefore), &p))
	testkit.Equal(t, "comment", p.Returned[0].Comment, domain.StoredID("9007199254740993"))

	text, _, err := p.Freeze()
	testkit.OK(t, err)
	var older struct {
		Returned []struct {
			FindingID string `json:"findingId"`
			Comment   int64  `json:"comment"`
		} `json:"returned"`
	}
	testkit.OK(t, json.Unmarshal([]byte(text), &older))
	testkit.Equal(t, "comment that an older worker reads", older.Returned[0].Comment, int64(9007199254740993))

	p.Returned[0].Comment = "{8f0c-1}"
	text, _, err = p.Freeze()
	testkit.OK(t, err)
	var again publish.Payload
	testkit.OK(t, json.Unmarshal([]byte(text), &again))
	testkit.Equal(t, "comment of a host that does not count", again.Returned[0].Comment, domain.StoredID("{8f0c-1}"))
}
