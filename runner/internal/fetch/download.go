package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

// client downloads to files. It tries again where a connection breaks off or a
// server is overloaded, not where there is no connection.
type client struct {
	http  *http.Client
	stall time.Duration // without a byte, after which a connection is given up
	tries int           // connections that may break off, one after another
	pause time.Duration // before the second of them, twice as long before the third, …
}

func newClient() *client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.DisableCompression = true // sums and ranges are those of the file itself
	return &client{http: &http.Client{Transport: t}, stall: 30 * time.Second, tries: 4, pause: time.Second}
}

// passing marks an error that another try may not meet.
type passing struct{ error }

func (p passing) Unwrap() error { return p.error }

// errTooLong says that a download was stopped.
var errTooLong = errors.New("more bytes than expected")

// download gets what address has, at most limit bytes, into the file part. Where the
// file is there, it goes on at its end if the server can do that, and begins again
// if not. resumed tells whether bytes of an earlier connection are among the file,
// which then need not be the publisher's. With an error the file stays for the next
// call, unless it is too long.
func (c *client) download(ctx context.Context, address, part string, limit int64) (resumed bool, err error) {
	for try := 1; ; try++ {
		r, err := c.connect(ctx, address, part, limit)
		resumed = resumed || r
		if errors.Is(err, errTooLong) {
			os.Remove(part)
		}
		if p := (passing{}); !errors.As(err, &p) || try == c.tries {
			return resumed, err
		}
		select {
		case <-time.After(c.pause << (try - 1)):
		case <-ctx.Done():
			return resumed, ctx.Err()
		}
	}
}

// connect is one try of download.
func (c *client) connect(ctx context.Context, address, part string, limit int64) (resumed bool, err error) {
	have, err := size(part)
	switch {
	case err != nil:
		return false, err
	case have == limit:
		return true, nil // no more can come
	case have > limit:
		have = 0
	}

	// The timer runs while the server is waited for. What it stops has errStall as
	// its cause, what the caller stops the caller's.
	errStall := fmt.Errorf("nothing came for %v", c.stall)
	connection, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	timer := time.AfterFunc(c.stall, func() { cancel(errStall) })
	defer timer.Stop()

	request, err := http.NewRequestWithContext(connection, http.MethodGet, address, nil)
	if err != nil {
		return false, err
	}
	request.Header.Set("User-Agent", "closedform")
	request.Header.Set("Accept-Encoding", "identity")
	if have > 0 {
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-", have))
	}
	response, err := c.http.Do(request)
	if err != nil {
		return false, reason(connection, err)
	}
	defer response.Body.Close()

	// What is there is kept if the answer begins where it ends.
	begin := os.O_TRUNC
	contentRange := response.Header.Get("Content-Range")
	switch code := response.StatusCode; {
	case code == http.StatusOK:
		have = 0
	case have > 0 && code == http.StatusPartialContent && strings.HasPrefix(contentRange, fmt.Sprintf("bytes %d-", have)):
		begin = os.O_APPEND
	case have > 0 && code == http.StatusRequestedRangeNotSatisfiable && contentRange == fmt.Sprintf("bytes */%d", have):
		return true, nil // it was complete
	case have > 0 && (code == http.StatusPartialContent || code == http.StatusRequestedRangeNotSatisfiable):
		err := fmt.Errorf("status %s for %q, asked for bytes from %d", response.Status, contentRange, have)
		return false, errors.Join(passing{err}, os.Remove(part))
	case code >= 500 || code == http.StatusTooManyRequests || code == http.StatusRequestTimeout:
		return false, passing{fmt.Errorf("status %s", response.Status)}
	default:
		return false, fmt.Errorf("status %s", response.Status)
	}
	if response.ContentLength > limit-have {
		return false, fmt.Errorf("%w: %d, need at most %d", errTooLong, have+response.ContentLength, limit)
	}
	f, err := os.OpenFile(part, os.O_CREATE|os.O_WRONLY|begin, 0o666)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	resumed = begin == os.O_APPEND
	buf := make([]byte, 64<<10)
	for {
		timer.Reset(c.stall)
		n, err := response.Body.Read(buf)
		if have += int64(n); have > limit {
			return resumed, fmt.Errorf("%w: need at most %d", errTooLong, limit)
		}
		if _, err := f.Write(buf[:n]); err != nil {
			return resumed, err
		}
		if err == io.EOF {
			return resumed, nil
		}
		if err != nil {
			return resumed, passing{reason(connection, err)}
		}
	}
}

// reason returns why a connection failed: what ended its context if that is it.
func reason(connection context.Context, err error) error {
	if cause := context.Cause(connection); cause != nil {
		return cause
	}
	if e := (*url.Error)(nil); errors.As(err, &e) {
		return e.Err // the caller names the URL
	}
	return err
}

// size returns how many bytes a file has, none if it is not there.
func size(path string) (int64, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}
