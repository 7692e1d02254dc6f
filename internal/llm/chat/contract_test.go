package chat_test

import (
	"encoding/json"

	"github.com/getkin/kin-openapi/openapi3"
)

// problemOf says why bytes are not what a schema asks for; nil if they are.
func problemOf(schemas openapi3.Schemas, name string, raw []byte) error {
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return err
	}
	return schemas[name].Value.VisitJSON(v, openapi3.EnableJSONSchema2020(), openapi3.MultiErrors())
}
