package chat

import (
	"context"
	"encoding/json"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/llm/wire"
)

// ListModels implements [llm.Client]. It reads the member data (or a bare list) of GET {base}/models, with the
// id and, if the server sends one, name or display_name.
func (c *Client) ListModels(ctx context.Context) ([]llm.ModelInfo, error) {
	rep, err := c.conn.List(ctx, "/models")
	if err != nil {
		return nil, err
	}
	if !rep.OK() {
		return nil, c.conn.Failure(rep, llm.EffortDefault)
	}
	type item struct {
		ID          wire.Text `json:"id"`
		Name        wire.Text `json:"name"`
		DisplayName wire.Text `json:"display_name"`
	}
	var in struct {
		Data *wire.Items[item] `json:"data"`
	}
	var items wire.Items[item]
	if json.Unmarshal(rep.Body, &in) == nil && in.Data != nil {
		items = *in.Data
	} else if json.Unmarshal(rep.Body, &items) != nil || items == nil {
		return nil, rep.Invalid("The answer of the endpoint is not a list of models in JSON. Check the base URL.")
	}
	var list wire.ModelList
	for _, it := range items {
		list.Add(string(it.ID), string(it.DisplayName), string(it.Name))
	}
	return list.Models(), nil
}
