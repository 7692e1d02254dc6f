package store_test

import (
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestTimesOfRows(t *testing.T) {
	t.Parallel()
	want := time.Date(2026, 2, 3, 4, 5, 6, 7000, time.UTC)
	testkit.Equal(t, "a time", store.Time(want.UnixMicro()), want)
	testkit.Equal(t, "a time that has come", *store.TimeOrNil(want.UnixMicro()), want)
	if got := store.TimeOrNil(0); got != nil {
		t.Errorf("a time that has not come is %v", got)
	}
}

func TestJSONColumns(t *testing.T) {
	t.Parallel()
	type form struct {
		Names []string
		Limit int
	}
	in := form{[]string{"a<b", "ü"}, 3}
	if got := store.FromJSON[form](store.JSON(in)); !reflect.DeepEqual(got, in) {
		t.Errorf("read %v, want %v", got, in)
	}
	for _, damaged := range []string{"", "{", "null", `["a"]`} {
		t.Run(damaged, func(t *testing.T) {
			t.Parallel()
			if got := store.FromJSON[form](damaged); !reflect.DeepEqual(got, form{}) {
				t.Errorf("read %v", got)
			}
		})
	}
	defer func() {
		if recover() == nil {
			t.Error("a number that JSON has not was written")
		}
	}()
	store.JSON(math.Inf(1))
}
