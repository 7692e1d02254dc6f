package gitea

import (
	"fmt"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
)

// An edited comment is marked as edited, in the conversation and on a line. The host's times are whole
// seconds.
func TestAnEditedCommentSaysSo(t *testing.T) {
	t.Parallel()
	for after, want := range map[time.Duration]bool{0: false, time.Second: false, 2 * time.Second: true, -time.Hour: false} {
		at := time.Date(2026, 11, 27, 9, 0, 0, 0, time.UTC)
		times := fmt.Sprintf(`"created_at":%q,"updated_at":%q`, at.Format(time.RFC3339), at.Add(after).Format(time.RFC3339))
		f := newFake(t)
		f.json("GET /repos/octo/demo/issues/comments/3", `{"id":3,"body":"/assay pause","user":{"id":4,"login":"ann"},"pull_request_url":"https://x/octo/demo/pulls/7",`+times+`}`)
		f.status("GET /repos/octo/demo/issues/comments/5", 204, "")
		f.json("GET /repos/octo/demo/pulls/7/reviews", `[{"id":8,"state":"COMMENT","comments_count":1,"user":{"id":4,"login":"ann"}}]`)
		f.json("GET /repos/octo/demo/pulls/7/reviews/8/comments", `[{"id":5,"body":"/assay pause","user":{"id":4,"login":"ann"},`+times+`}]`)
		for id, what := range map[domain.HostID]string{"3": "in the conversation", "5": "on a line"} {
			got, err := f.host(domain.Gitea).Comment(t.Context(), testRepo, codehost.EventComment{ID: id, Number: 7})
			if err != nil || got.Edited != want || got.Author != "ann" {
				t.Errorf("%s, changed %v after it was written: %+v %v", what, after, got, err)
			}
		}
	}
}
