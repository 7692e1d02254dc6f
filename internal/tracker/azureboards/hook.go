package azureboards

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/azure"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/tracker"
	"github.com/assay-dev/assay/internal/tracker/wire"
)

// Hooks reads service hooks about work items. Only the body contains the kind and the id of the event. The
// password of Basic or [azure.SecretHeader] authenticates the sender, but not the body.
func Hooks() tracker.Hooks {
	return tracker.Hooks{Read: readHook, Verify: verifyHook, Parse: parseHook}
}

func readHook(h http.Header) (tracker.Hook, error) {
	shown, err := azure.Proofs(h)
	if err != nil {
		return tracker.Hook{}, err
	}
	return tracker.Hook{Proof: len(shown) > 0}, nil
}

func verifyHook(h http.Header, _ []byte, secrets []secret.Secret) error {
	return azure.Verify(h, secrets)
}

func parseHook(_ http.Header, body []byte) (tracker.Event, error) {
	if len(body) > wire.MaxPayload {
		return tracker.Event{}, wire.ErrPayload
	}
	e, err := azure.ReadEnvelope(body)
	if err != nil {
		return tracker.Event{}, err
	}
	out := tracker.Event{Name: e.EventType, Deleted: e.EventType == "workitem.deleted", SentAt: e.Created}
	if !strings.HasPrefix(e.EventType, "workitem.") {
		return out, nil
	}
	out.Issue = e.EventType != "workitem.commented"
	var r struct {
		ID         int64                      `json:"id"` // for workitem.updated the id of the update
		WorkItemID int64                      `json:"workItemId"`
		Fields     map[string]json.RawMessage `json:"fields"` // for workitem.updated the changes
		Revision   struct {
			Fields map[string]json.RawMessage `json:"fields"`
		} `json:"revision"`
	}
	if len(e.Resource) == 0 || string(e.Resource) == "null" { // a subscription may omit the resource
		return out, nil
	}
	if json.Unmarshal(e.Resource, &r) != nil {
		return tracker.Event{}, wire.ErrPayload
	}
	id := r.ID
	if e.EventType == "workitem.updated" {
		id = r.WorkItemID
	}
	if key := strconv.FormatInt(id, 10); keyForm.MatchString(key) {
		out.Key = key
	}
	for _, fields := range []map[string]json.RawMessage{r.Fields, r.Revision.Fields} {
		var name string
		if json.Unmarshal(fields["System.TeamProject"], &name) == nil && projectForm.MatchString(name) {
			out.Project = name
		}
	}
	return out, nil
}
