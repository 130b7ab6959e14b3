-- An Nsight Systems export as an activity window (tl-window(5)):
--
--     nsys export --type sqlite --output report.sqlite report.nsys-rep
--     sqlite3 -batch report.sqlite <window.sql | tl-extract --window - | ...
--
-- Nothing is written to the report. Tables that it lacks are found empty in `lacking` below, since
-- sqlite looks for a name in the report first. A column that only newer versions have is read in a
-- subquery beside the table `newer`, whose NULL stands in where the report's table lacks it.
.bail on
.mode list
.headers off

ATTACH ':memory:' AS lacking;
CREATE TABLE lacking.TARGET_INFO_SESSION_START_TIME(utcEpochNs);
CREATE TABLE lacking.TARGET_INFO_GPU(cuDevice, name, computeMajor, computeMinor);
CREATE TABLE lacking.PROCESSES(globalPid, pid, name);
CREATE TABLE lacking.ThreadNames(nameId, globalTid);
CREATE TABLE lacking.StringIds(id INTEGER PRIMARY KEY, value);
CREATE TABLE lacking.NVTX_EVENTS(start, "end", eventType, text, globalTid, textId);
CREATE TABLE lacking.CUPTI_ACTIVITY_KIND_RUNTIME(start, "end", globalTid, correlationId, nameId);
CREATE TABLE lacking.CUPTI_ACTIVITY_KIND_KERNEL(start, "end", deviceId, contextId, streamId,
	correlationId, demangledName, registersPerThread, gridX, gridY, gridZ, blockX, blockY, blockZ,
	staticSharedMemory, dynamicSharedMemory, graphNodeId);
CREATE TABLE lacking.CUPTI_ACTIVITY_KIND_MEMCPY(start, "end", deviceId, contextId, streamId,
	correlationId, bytes, copyKind, srcKind, dstKind, graphNodeId);
CREATE TABLE lacking.CUPTI_ACTIVITY_KIND_MEMSET(start, "end", deviceId, contextId, streamId,
	correlationId, value, bytes, memKind, graphNodeId);
CREATE TABLE lacking.CUPTI_ACTIVITY_KIND_SYNCHRONIZATION(start, "end", deviceId, contextId, streamId,
	correlationId, syncType, eventId);
CREATE TABLE lacking.CUPTI_ACTIVITY_KIND_CUDA_EVENT(deviceId, contextId, streamId, correlationId,
	eventId);
CREATE TABLE lacking.CUPTI_ACTIVITY_KIND_GRAPH_TRACE(start, "end", deviceId, contextId, streamId,
	correlationId, graphId);
CREATE TABLE lacking.PROFILER_OVERHEAD(start, "end", nameId);
CREATE TABLE lacking.GPU_METRICS(timestamp, typeId, metricId, value);
CREATE TABLE lacking.TARGET_INFO_GPU_METRICS(typeId, metricId, metricName);
CREATE TABLE lacking.newer(graphId, eventSyncId);
INSERT INTO lacking.newer VALUES (NULL, NULL);

-- Times are ns since the session began.
SELECT json_object('kind', 'header', 'baseTimeNanoseconds', utcEpochNs, 'timeOffsetNs', utcEpochNs)
FROM TARGET_INFO_SESSION_START_TIME
LIMIT 1;

SELECT json_object('kind', 'device', 'deviceId', cuDevice, 'name', name,
	'arch', 'sm_' || computeMajor || computeMinor)
FROM TARGET_INFO_GPU;

SELECT json_object('ph', 'M', 'name', 'process_name', 'pid', (globalPid >> 24) & 0xFFFFFF, 'tid', 0,
	'ts', 0.0, 'args', json_object('name', name))
FROM PROCESSES;

SELECT json_object('ph', 'M', 'name', 'thread_name', 'pid', (t.globalTid >> 24) & 0xFFFFFF,
	'tid', t.globalTid & 0xFFFFFF, 'ts', 0.0, 'args', json_object('name', s.value))
FROM ThreadNames t
JOIN StringIds s ON s.id = t.nameId;

-- NVTX ranges: push/pop (59) and start/end (60).
CREATE TABLE lacking.ranges AS
SELECT n.rowid AS id, n.start, n.end, n.eventType, n.globalTid, coalesce(n.text, s.value) AS name
FROM NVTX_EVENTS n
LEFT JOIN StringIds s ON s.id = n.textId
WHERE n.eventType IN (59, 60) AND n.end IS NOT NULL
ORDER BY n.rowid;

SELECT json_object('ph', 'X', 'cat', 'user_annotation', 'name', name,
	'pid', (globalTid >> 24) & 0xFFFFFF, 'tid', globalTid & 0xFFFFFF,
	'ts', start / 1000.0, 'dur', ("end" - start) / 1000.0,
	'args', json_object('External id', id))
FROM ranges;

SELECT json_object('kind', 'user_annotation', 'externalId', id, 'name', name)
FROM ranges;

-- The innermost push/pop range around each API call of its thread. Ranges of a thread nest, so at a
-- depth of d open ranges it is the last one that opened at depth d: one sort, no search per call.
WITH points(globalTid, t, what, id, until) AS (
	SELECT globalTid, "end", 0, id, NULL FROM ranges WHERE eventType = 59 AND "end" > start
	UNION ALL
	SELECT globalTid, start, 1, id, "end" FROM ranges WHERE eventType = 59 AND "end" > start
	UNION ALL
	SELECT globalTid, start, 2, rowid, "end" FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE correlationId
),
depths AS (
	SELECT *, sum(CASE what WHEN 0 THEN -1 WHEN 1 THEN 1 ELSE 0 END) OVER thread AS depth,
		row_number() OVER thread AS seq
	FROM points
	WINDOW thread AS (PARTITION BY globalTid ORDER BY t, what, CASE what WHEN 1 THEN -until END, id
		ROWS UNBOUNDED PRECEDING)
),
latest AS (
	SELECT *, max(CASE what WHEN 1 THEN seq END) OVER (PARTITION BY globalTid, depth ORDER BY seq) AS opened
	FROM depths
	WHERE what <> 0
)
SELECT json_object('kind', 'external_correlation', 'correlationId', r.correlationId,
	'externalId', o.id)
FROM latest l
JOIN latest o ON o.globalTid = l.globalTid AND o.seq = l.opened AND o.until >= l.until
JOIN CUPTI_ACTIVITY_KIND_RUNTIME r ON r.rowid = l.id
WHERE l.what = 2 AND l.depth > 0
ORDER BY r.rowid;

-- Without a graphId column, CUPTI's packing of node ids says it.
SELECT json_object('kind', 'kernel', 'name', s.value, 'start', k.start, 'end', k.end,
	'deviceId', deviceId, 'contextId', contextId, 'streamId', streamId,
	'correlationId', correlationId, 'graphNodeId', coalesce(graphNodeId, 0),
	'graphId', coalesce(
		(SELECT graphId FROM CUPTI_ACTIVITY_KIND_KERNEL i WHERE i.rowid = k.rowid),
		coalesce(graphNodeId, 0) >> 32),
	'gridX', gridX, 'gridY', gridY, 'gridZ', gridZ,
	'blockX', blockX, 'blockY', blockY, 'blockZ', blockZ,
	'registersPerThread', registersPerThread, 'staticSharedMemory', staticSharedMemory,
	'dynamicSharedMemory', dynamicSharedMemory)
FROM newer, CUPTI_ACTIVITY_KIND_KERNEL k
LEFT JOIN StringIds s ON s.id = k.demangledName
ORDER BY k.rowid;

-- Memory kinds: nsys counts pageable 0 ... managed static 6, unknown 7; CUPTI unknown 0, pageable 1.
SELECT json_object('kind', 'gpu_memcpy', 'start', m.start, 'end', m.end,
	'deviceId', deviceId, 'contextId', contextId, 'streamId', streamId,
	'correlationId', correlationId, 'graphNodeId', coalesce(graphNodeId, 0),
	'graphId', coalesce(
		(SELECT graphId FROM CUPTI_ACTIVITY_KIND_MEMCPY i WHERE i.rowid = m.rowid),
		coalesce(graphNodeId, 0) >> 32),
	'bytes', bytes, 'copyKind', copyKind, 'srcKind', (coalesce(srcKind, 7) + 1) % 8,
	'dstKind', (coalesce(dstKind, 7) + 1) % 8)
FROM newer, CUPTI_ACTIVITY_KIND_MEMCPY m
ORDER BY m.rowid;

SELECT json_object('kind', 'gpu_memset', 'start', m.start, 'end', m.end,
	'deviceId', deviceId, 'contextId', contextId, 'streamId', streamId,
	'correlationId', correlationId, 'graphNodeId', coalesce(graphNodeId, 0),
	'graphId', coalesce(
		(SELECT graphId FROM CUPTI_ACTIVITY_KIND_MEMSET i WHERE i.rowid = m.rowid),
		coalesce(graphNodeId, 0) >> 32),
	'bytes', bytes, 'value', value, 'memoryKind', (coalesce(memKind, 7) + 1) % 8)
FROM newer, CUPTI_ACTIVITY_KIND_MEMSET m
ORDER BY m.rowid;

-- One table holds the calls of both APIs.
SELECT json_object('kind',
	CASE WHEN s.value GLOB 'cuda*' OR s.value GLOB '__cuda*' THEN 'cuda_runtime'
		ELSE 'cuda_driver' END,
	'name', s.value, 'start', r.start, 'end', r.end, 'globalTid', r.globalTid,
	'correlationId', r.correlationId)
FROM CUPTI_ACTIVITY_KIND_RUNTIME r
JOIN StringIds s ON s.id = r.nameId
ORDER BY r.rowid;

SELECT json_object('kind', 'cuda_sync', 'type', syncType, 'start', y.start, 'end', y.end,
	'deviceId', deviceId, 'contextId', contextId, 'streamId', streamId,
	'correlationId', correlationId, 'cudaEventId', eventId,
	'cudaEventSyncId', coalesce((SELECT eventSyncId FROM CUPTI_ACTIVITY_KIND_SYNCHRONIZATION i
		WHERE i.rowid = y.rowid), 0))
FROM newer, CUPTI_ACTIVITY_KIND_SYNCHRONIZATION y
ORDER BY y.rowid;

SELECT json_object('kind', 'cuda_event', 'deviceId', deviceId, 'contextId', contextId,
	'streamId', streamId, 'correlationId', correlationId, 'eventId', eventId,
	'cudaEventSyncId', coalesce((SELECT eventSyncId FROM CUPTI_ACTIVITY_KIND_CUDA_EVENT i
		WHERE i.rowid = e.rowid), 0))
FROM newer, CUPTI_ACTIVITY_KIND_CUDA_EVENT e
ORDER BY e.rowid;

-- With --cuda-graph-trace=graph a graph leaves one span per launch and no rows of its nodes.
SELECT json_object('ph', 'X', 'cat', 'graph_trace', 'name', 'graph ' || g.graphId,
	'pid', deviceId, 'tid', streamId, 'ts', g.start / 1000.0, 'dur', (g.end - g.start) / 1000.0,
	'args', json_object('device', deviceId, 'context', contextId, 'stream', streamId,
		'correlation', correlationId, 'graph id', g.graphId))
FROM CUPTI_ACTIVITY_KIND_GRAPH_TRACE g
ORDER BY g.rowid;

SELECT json_object('kind', 'overhead', 'name', s.value, 'start', o.start, 'end', o.end)
FROM PROFILER_OVERHEAD o
JOIN StringIds s ON s.id = o.nameId
ORDER BY o.rowid;

-- Sampled metrics of the GPU; the low byte of typeId is the device.
SELECT json_object('kind', 'pm_sampling', 'start', g.timestamp, 'deviceId', g.typeId & 0xFF,
	'metrics', json_group_object(n.metricName, g.value))
FROM GPU_METRICS g
JOIN TARGET_INFO_GPU_METRICS n ON n.typeId = g.typeId AND n.metricId = g.metricId
GROUP BY g.timestamp, g.typeId
ORDER BY g.timestamp, g.typeId;
