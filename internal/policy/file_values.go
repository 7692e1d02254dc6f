package policy

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/field"
)

// ValueType says which values a setting may have.
type ValueType struct {
	Type     string   // boolean, integer, number, string or array (of strings), as in JSON Schema
	Enum     []string // nil: any string
	Min, Max string   // bounds of a number, in decimal; "" without a bound
	MaxItems int      // bound of an array
	Doc      string   // the meaning, as a sentence without a full stop
}

// ValueTypeOf returns the type of a setting of [FileSettings].
func ValueTypeOf(name string) ValueType {
	tag, typ := fieldOf(reflect.TypeFor[RepositoryPolicyUpdate](), name)
	v := ValueType{Min: tag.Get("minimum"), Max: tag.Get("maximum"), Doc: tag.Get("doc")}
	if e := tag.Get("enum"); e != "" {
		v.Enum = strings.Split(e, ",")
	}
	if name == "fixes" { // fixes that write to a branch stay with the policy
		v.Enum, v.Doc = []string{"off", "suggestions"}, "How far a fix may go"
	}
	v.MaxItems, _ = strconv.Atoi(tag.Get("maxItems"))
	for typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	switch typ.Kind() {
	case reflect.Bool:
		v.Type = "boolean"
	case reflect.Int:
		v.Type = "integer"
	case reflect.Float64:
		v.Type = "number"
	case reflect.Slice:
		v.Type = "array"
	default:
		v.Type = "string"
	}
	return v
}

// fieldOf returns the tags and the type of a setting's field.
func fieldOf(typ reflect.Type, name string) (reflect.StructTag, reflect.Type) {
	part, rest, nested := strings.Cut(name, ".")
	for f := range typ.Fields() {
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case key != part:
		case nested:
			return fieldOf(f.Type.Elem(), rest)
		default:
			return f.Tag, f.Type
		}
	}
	return "", reflect.TypeFor[string]()
}

// Want says which values the type has, as the rest of a sentence that begins with the setting's name.
func (v ValueType) Want() string {
	switch {
	case v.Type == "boolean":
		return "must be true or false"
	case v.Type == "array":
		return fmt.Sprintf("must be a list of at most %d texts", v.MaxItems)
	case v.Type == "string" && v.Enum != nil:
		return "must be one of " + strings.Join(v.Enum, ", ")
	case v.Type == "string":
		return "must be text"
	case v.Type == "integer":
		return "must be a whole number from " + v.Min + " to " + v.Max
	}
	return "must be a number from " + v.Min + " to " + v.Max
}

// Holds reports whether a decoded value (bool, int64, float64, string or []string) has the type.
func (v ValueType) Holds(value any) bool {
	switch value := value.(type) {
	case bool:
		return v.Type == "boolean"
	case int64:
		return (v.Type == "integer" || v.Type == "number") && v.between(float64(value))
	case float64:
		return v.Type == "number" && v.between(value)
	case string:
		return v.Type == "string" && (v.Enum == nil || slices.Contains(v.Enum, value))
	case []string:
		return v.Type == "array" && len(value) <= v.MaxItems
	}
	return false
}

func (v ValueType) between(n float64) bool {
	low, errLow := strconv.ParseFloat(v.Min, 64)
	high, errHigh := strconv.ParseFloat(v.Max, 64)
	return (errLow != nil || n >= low) && (errHigh != nil || n <= high)
}

// CheckValue returns what is wrong with the value of a setting that has its type, by [RepositoryPolicyUpdate.Validate].
// The pointers of the fields begin with that of the setting.
func CheckValue(name string, value json.RawMessage) []errs.Field {
	var in RepositoryPolicyUpdate
	if err := json.Unmarshal(assembled([]Setting{{Name: name, Value: value}}), &in); err != nil {
		return []errs.Field{{Message: ValueTypeOf(name).Want()}}
	}
	var c field.Check
	in.Validate(&c)
	return c.Fields()
}
