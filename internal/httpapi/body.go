package httpapi

import (
	"encoding/json"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-dev/assay/internal/errs"
)

// Body decodes a document as strictly as the body of a request of type T, and checks it with the same
// schema, for commands that take the interface's inputs. It returns [errs.Malformed] if the document is not
// a JSON object, else [errs.Invalid] with the wrong fields. Errors never contain a value.
func Body[T any](raw []byte) (in T, err error) {
	configureHuma()
	var value any
	if err := decodeJSON(raw, &value); err != nil {
		return in, decodeError([]error{&huma.ErrorDetail{Message: err.Error()}})
	}
	registry := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
	schema := huma.SchemaFromType(registry, reflect.TypeFor[T]())
	var found huma.ValidateResult
	huma.Validate(registry, schema, huma.NewPathBuffer([]byte("body"), len("body")), huma.ModeWriteToServer, value, &found)
	if nulls := strayNulls(registry, schema, value); len(nulls) > 0 {
		return in, documentError(nulls...)
	}
	var fields []errs.Field
	for _, d := range found.Errors {
		if f, ok := wrongField(d); ok && len(fields) < 50 {
			fields = append(fields, f)
		}
	}
	if len(found.Errors) > 0 {
		return in, documentError(fields...)
	}
	return in, json.Unmarshal(raw, &in)
}

// documentError returns an error that lists the wrong fields of a document.
func documentError(fields ...errs.Field) error {
	e := errs.New(errs.Invalid, "invalid", "Something in the document is not as the description says.")
	e.Fields = fields
	return e
}
