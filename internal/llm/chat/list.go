package chat

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/assay-dev/assay/internal/llm"
)

// maxModelID is the longest id that is taken over; longer ones are no model's.
const maxModelID = 256

// ListModels implements [llm.Client]: GET {base}/models, the member data (or a
// bare list), with id and, where a server has one, name or display_name.
func (c *Client) ListModels(ctx context.Context) ([]llm.ModelInfo, error) {
	limited, cancel := context.WithTimeoutCause(ctx, ListTimeout, errListTimeout)
	defer cancel()
	rep, err := c.send(limited, http.MethodGet, "/models", nil, MaxListBytes)
	if err != nil {
		if ctx.Err() == nil && errors.Is(err, errListTimeout) {
			return nil, &llm.Error{Class: llm.ClassRetryable, ProviderMessage: "The endpoint did not list its models in time.", Cause: err}
		}
		return nil, err
	}
	if rep.status < 200 || rep.status > 299 {
		return nil, c.failure(rep, llm.EffortDefault)
	}
	type item struct {
		ID          loose `json:"id"`
		Name        loose `json:"name"`
		DisplayName loose `json:"display_name"`
	}
	var in struct {
		Data *[]item `json:"data"`
	}
	var items []item
	if json.Unmarshal(rep.body, &in) == nil && in.Data != nil {
		items = *in.Data
	} else if json.Unmarshal(rep.body, &items) != nil || items == nil {
		return nil, invalid(rep, "The answer of the endpoint is not a list of models in JSON. Check the base URL.")
	}
	out := make([]llm.ModelInfo, 0, len(items))
	seen := map[string]bool{}
	for _, it := range items {
		id := string(it.ID)
		if id == "" || len(id) > maxModelID || seen[id] || id != llm.SafeMessage(id) {
			continue // an id with control characters or a secret's look is not one
		}
		seen[id] = true
		name := llm.SafeMessage(string(it.DisplayName))
		if name == "" {
			name = llm.SafeMessage(string(it.Name))
		}
		if name == "" {
			name = id
		}
		out = append(out, llm.ModelInfo{ID: id, DisplayName: name})
	}
	return out, nil
}

var errListTimeout = errors.New("the list of models took too long")
