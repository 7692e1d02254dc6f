package tracking

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"

	"github.com/danielgtaylor/huma/v2"
)

// Repositories selects repositories of an account: all of them, including later ones, or the named ones. In
// JSON it is "all" or a list.
type Repositories struct {
	All   bool
	Names []string
}

func (r Repositories) differ(o Repositories) bool {
	return r.All != o.All || !slices.Equal(r.Names, o.Names)
}

// MarshalJSON implements [json.Marshaler].
func (r Repositories) MarshalJSON() ([]byte, error) {
	if r.All {
		return []byte(`"all"`), nil
	}
	return json.Marshal(list(r.Names))
}

// UnmarshalJSON implements [json.Unmarshaler].
func (r *Repositories) UnmarshalJSON(data []byte) error {
	if data = bytes.TrimSpace(data); len(data) > 0 && data[0] == '[' {
		r.All = false
		return json.Unmarshal(data, &r.Names)
	}
	if string(data) != `"all"` {
		return errors.New(`must be "all" or a list of names`)
	}
	*r = Repositories{All: true}
	return nil
}

// Schema implements [huma.SchemaProvider].
func (Repositories) Schema(huma.Registry) *huma.Schema {
	one, name, most := 1, 300, 500
	s := &huma.Schema{Description: `"all", or the names of repositories below the owner`, Examples: []any{"all"}, OneOf: []*huma.Schema{
		{Type: "string", Enum: []any{"all"}},
		{Type: "array", MinItems: &one, MaxItems: &most, Items: &huma.Schema{Type: "string", MinLength: &one, MaxLength: &name}},
	}}
	s.PrecomputeMessages()
	return s
}
