package auth

import (
	"encoding/json"
	"errors"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
)

// TenantChoice selects the tenants of an identity provider: all, or the named ones. In JSON it is "all" or
// a list of ids.
type TenantChoice struct {
	All bool
	IDs []string
}

// MarshalJSON implements [json.Marshaler].
func (c TenantChoice) MarshalJSON() ([]byte, error) {
	if c.All {
		return []byte(`"all"`), nil
	}
	return json.Marshal(append([]string{}, c.IDs...))
}

// UnmarshalJSON implements [json.Unmarshaler].
func (c *TenantChoice) UnmarshalJSON(data []byte) error {
	*c = TenantChoice{}
	var word string
	if json.Unmarshal(data, &word) == nil && word == "all" {
		c.All = true
		return nil
	}
	if json.Unmarshal(data, &c.IDs) != nil || c.IDs == nil {
		return errors.New(`must be "all" or a list of ids`)
	}
	return nil
}

// Schema implements [huma.SchemaProvider].
func (TenantChoice) Schema(r huma.Registry) *huma.Schema {
	one, sixty, most := 1, 60, 500
	id := r.Schema(reflect.TypeFor[string](), true, "")
	id.MinLength, id.MaxLength = &one, &sixty
	id.Not = &huma.Schema{Enum: []any{"all"}}
	s := &huma.Schema{OneOf: []*huma.Schema{{Type: "string", Enum: []any{"all"}}, {Type: "array", Items: id, MaxItems: &most}},
		Examples: []any{"all"}}
	for _, o := range s.OneOf {
		o.PrecomputeMessages()
	}
	id.PrecomputeMessages()
	return s
}
