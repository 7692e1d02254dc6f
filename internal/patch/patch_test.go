package patch_test

import (
	"encoding/json"
	"testing"

	"github.com/assay-dev/assay/internal/patch"
	"github.com/assay-dev/assay/internal/testkit"
)

type form struct {
	Name  patch.Value[string]      `json:"name,omitzero"`
	Limit patch.Nullable[int]      `json:"limit,omitzero"`
	List  patch.Value[[]string]    `json:"list,omitzero"`
	Inner patch.Nullable[struct{}] `json:"inner,omitzero"`
}

func TestAbsentNullAndValueAreThreeThings(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		body  string
		name  string
		limit *int
	}{
		"absent stays":    {`{}`, "old", new(7)},
		"value replaces":  {`{"name":"new","limit":3}`, "new", new(3)},
		"null removes":    {`{"limit":null}`, "old", nil},
		"zero is a value": {`{"name":"","limit":0}`, "", new(0)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var f form
			testkit.OK(t, json.Unmarshal([]byte(tc.body), &f))
			got, limit := "old", new(7)
			f.Name.Into(&got)
			f.Limit.IntoPointer(&limit)
			testkit.Equal(t, "name", got, tc.name)
			if (limit == nil) != (tc.limit == nil) || limit != nil && *limit != *tc.limit {
				t.Errorf("limit is %v, want %v", limit, tc.limit)
			}
			back, err := json.Marshal(f)
			testkit.OK(t, err)
			testkit.Equal(t, "written again", string(back), tc.body)
		})
	}
}

func TestNullIsRefusedWhereNothingCanBeRemoved(t *testing.T) {
	t.Parallel()
	for _, body := range []string{`{"name":null}`, `{"list": null}`, `{"name":3}`} {
		if json.Unmarshal([]byte(body), &form{}) == nil {
			t.Errorf("%s was taken", body)
		}
	}
}
